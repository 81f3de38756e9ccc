// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

extension SubjectFacts {
  /// Takes over what others have learned; what they have not stays.
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

  /// Only these parts, and what an AppView said: others may have been learned at another time.
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

  /// A part is not known any more, and neither is what an AppView said beside it.
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

  /// The repository has taken a write.
  mutating func take(_ write: RecordWrite) {
    switch write.collection {
    case .follow: follows = write.taken(by: follows)
    case .block: blocks = write.taken(by: blocks)
    case .listblock: listBlocks = write.taken(by: listBlocks)
    default: break
    }
  }

  /// The AppView has taken a call.
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
