// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

extension SubjectFacts {
  /// Merges facts that were loaded elsewhere; unknown ones do not replace known ones.
  mutating func merge(_ other: SubjectFacts) {
    follows = other.follows ?? follows
    blocks = other.blocks ?? blocks
    listBlocks = other.listBlocks ?? listBlocks
    relationship = other.relationship ?? relationship
    relationshipNotLearned =
      relationship == nil && (relationshipNotLearned || other.relationshipNotLearned)
    mute = other.mute ?? mute
    listIsMuted = other.listIsMuted ?? listIsMuted
  }

  /// Limits the facts to these parts and what an AppView returned; other parts may have been loaded at
  /// another time.
  func limited(to parts: Parts) -> SubjectFacts {
    var facts = self
    for part in self.parts where !parts.contains(part) {
      let relationship = facts.relationship
      facts.forget(part)
      facts.relationship = relationship
    }
    return facts
  }

  /// The parts that are known.
  var parts: [Parts] {
    var parts: [Parts] = []
    if follows != nil { parts.append(.follows) }
    if blocks != nil { parts.append(.blocks) }
    if listBlocks != nil { parts.append(.listBlocks) }
    if mute != nil { parts.append(.mutes) }
    if listIsMuted != nil { parts.append(.listMutes) }
    return parts
  }

  /// Forgets a part, and what an AppView returned along with it.
  mutating func forget(_ part: Parts) {
    switch part {
    case .follows: (follows, relationship) = (nil, nil)
    case .blocks: (blocks, relationship) = (nil, nil)
    case .listBlocks: listBlocks = nil
    case .mutes: mute = nil
    case .listMutes: listIsMuted = nil
    default: break
    }
  }

  /// Applies a write that the repository has accepted.
  mutating func take(_ write: RecordWrite) {
    switch write.collection {
    case .follow: follows = write.taken(by: follows)
    case .block: blocks = write.taken(by: blocks)
    case .listblock: listBlocks = write.taken(by: listBlocks)
    default: break
    }
  }

  /// Applies a call that the AppView has accepted.
  mutating func take(_ call: ViewerCall) {
    switch call {
    case .mute(_, let scope): mute = MuteState(direct: .scope(scope), list: mute?.list)
    case .unmute: mute = MuteState(direct: .absent, list: mute?.list)
    case .muteList: listIsMuted = true
    case .unmuteList: listIsMuted = false
    }
  }
}

extension RecordWrite {
  fileprivate func taken(by records: [OwnRecord]?) -> [OwnRecord]? {
    guard var records else { return nil }
    records.removeAll { $0.rkey == rkey }
    switch action {
    case .create(let value), .update(let value, former: _):
      records.append(OwnRecord(rkey: rkey, value: value))
    case .delete: break
    }
    return records
  }
}
