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
    mute = other.mute ?? mute
    listIsMuted = other.listIsMuted ?? listIsMuted
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
