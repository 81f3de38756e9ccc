// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

extension SubjectFacts {
  /// Merges facts that were loaded elsewhere; unknown ones do not replace known ones.
  mutating func merge(_ other: SubjectFacts) {
    edges.merge(other.edges) { _, new in new }
    relationship = other.relationship ?? relationship
    relationshipNotLearned =
      relationship == nil && (relationshipNotLearned || other.relationshipNotLearned)
    mute = other.mute ?? mute
    listIsMuted = other.listIsMuted ?? listIsMuted
  }

  /// Limits the facts to these parts and what an AppView returned; other parts may have been loaded at
  /// another time.
  func limited(to parts: Set<Part>) -> SubjectFacts {
    var facts = self
    for part in self.parts where !parts.contains(part) {
      let relationship = facts.relationship
      facts.forget(part)
      facts.relationship = relationship
    }
    return facts
  }

  /// The parts that are known.
  var parts: [Part] {
    var parts = edges.keys.map(Part.edges)
    if mute != nil { parts.append(.mutes) }
    if listIsMuted != nil { parts.append(.listMutes) }
    return parts
  }

  /// Forgets a part, and what an AppView returned along with it.
  mutating func forget(_ part: Part) {
    switch part {
    case .edges(let kind):
      edges[kind] = nil
      if kind.target == .account { relationship = nil }
    case .mutes: mute = nil
    case .listMutes: listIsMuted = nil
    case .lists, .records, .named: break
    }
  }

  /// Applies writes that the repository has accepted, in their order.
  mutating func apply(_ writes: [RecordWrite]) {
    for (collection, writes) in Dictionary(grouping: writes, by: \.collection) {
      guard let kind = EdgeKind(of: collection) else { continue }
      edges[kind] = writes.taken(by: edges[kind])
    }
  }

  /// Applies a call that the AppView has accepted.
  mutating func apply(_ call: ViewerCall) {
    switch call {
    case .mute(_, let scope): mute = MuteState(direct: .scope(scope), list: mute?.list)
    case .unmute: mute = MuteState(direct: .absent, list: mute?.list)
    case .muteList: listIsMuted = true
    case .unmuteList: listIsMuted = false
    }
  }
}

extension [RecordWrite] {
  /// The records after these writes of their collection; all at once, because a subject may have thousands.
  fileprivate func taken(by records: [OwnRecord]?) -> [OwnRecord]? {
    guard var records else { return nil }
    let keys = Set(map(\.rkey))
    records.removeAll { keys.contains($0.rkey) }
    var made: [RecordKey: OwnRecord] = [:]
    for write in self {
      switch write.action {
      case .create(let value), .update(let value, former: _):
        made[write.rkey] = OwnRecord(rkey: write.rkey, value: value)
      case .delete: made[write.rkey] = nil
      }
    }
    return records + compactMap { made.removeValue(forKey: $0.rkey) }
  }
}
