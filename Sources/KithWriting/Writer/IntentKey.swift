// SPDX-License-Identifier: Apache-2.0

internal import KithRelationships

/// The subject of intents that have to be serialized.
enum IntentKey: Sendable, Hashable {
  /// The edges to an account or a list: what changes together shares a commit.
  case edges(ChangeStep.Subject)
  case mute(ChangeStep.Subject)

  /// Returns nil for changes of lists, posts and duplicates, and for edges of which there may be several: those are
  /// serialized separately.
  init?(_ change: ChangeIntent) {
    switch change {
    case .edge(let edge, let wanted):
      guard wanted != .deduplicate, edge.kind.isUnique, [.account, .list].contains(edge.kind.target) else {
        return nil
      }
      self = .edges(ChangeStep.Subject(edge))
    case .call(let call): self = .mute(call.target)
    case .list, .friends, .posts, .records, .profile: return nil
    }
  }

  /// Whether it is about all members of a list.
  var isList: Bool {
    switch self {
    case .edges(.list), .mute(.list): true
    case .edges, .mute: false
    }
  }
}
