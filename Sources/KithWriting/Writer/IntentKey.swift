// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// The subject of intents that have to be serialized.
enum IntentKey: Sendable, Hashable {
  /// Follow and block of an account, which share a commit.
  case edges(DID)
  case mute(DID)
  case listBlock(ATURI)
  case listMute(ATURI)

  /// Returns nil for changes of lists, of other kinds of edges and of duplicates, which are serialized separately.
  init?(_ change: ChangeIntent) {
    switch change {
    case .follow(let account), .unfollow(let account), .block(let account), .unblock(let account):
      self = .edges(account)
    case .mute(let account, _), .unmute(let account): self = .mute(account)
    case .blockList(let list), .unblockList(let list): self = .listBlock(list)
    case .muteList(let list), .unmuteList(let list): self = .listMute(list)
    case .list, .make, .remove, .deduplicate: return nil
    }
  }

  /// Whether it is about all members of a list.
  var isList: Bool {
    switch self {
    case .edges, .mute: false
    case .listBlock, .listMute: true
    }
  }

  /// Returns the changes for an intent, each before those that may depend on it.
  func changes(for wish: DesiredState) -> [ChangeIntent] {
    switch self {
    case .edges(let account):
      return [
        wish.blocks.map { $0 ? .block(account) : .unblock(account) },
        wish.follows.map { $0 ? .follow(account) : .unfollow(account) },
      ].compactMap(\.self)
    case .mute(let account):
      switch wish.mute {
      case .scope(let scope): return [.mute(account, scope)]
      case .absent: return [.unmute(account)]
      case nil: return []
      }
    case .listBlock(let list): return wish.blocks.map { [$0 ? .blockList(list) : .unblockList(list)] } ?? []
    case .listMute(let list):
      return wish.mute.map { [$0 == .absent ? .unmuteList(list) : .muteList(list)] } ?? []
    }
  }

  /// Converts facts to a state.
  func facts(_ known: SubjectFacts) -> DesiredState {
    switch self {
    case .edges:
      return DesiredState(
        follows: known.edges[.follow].map { !$0.isEmpty }, blocks: known.edges[.block].map { !$0.isEmpty })
    case .mute:
      switch known.mute?.direct {
      case .absent: return DesiredState(mute: .absent)
      case .scope(let scope): return DesiredState(mute: .scope(scope))
      case .hidden, nil: return DesiredState()
      }
    case .listBlock: return DesiredState(blocks: known.edges[.listblock].map { !$0.isEmpty })
    case .listMute:
      return DesiredState(mute: known.listIsMuted.map { $0 ? .scope(.everything) : .absent })
    }
  }
}
