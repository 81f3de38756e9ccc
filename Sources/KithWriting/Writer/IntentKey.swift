// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// The subject of intents that have to be serialized.
enum IntentKey: Sendable, Hashable {
  /// The edges to an account or a list: what changes together shares a commit.
  case edges(ChangeStep.Subject)
  case mute(ChangeStep.Subject)

  /// Returns nil for changes of lists, posts and duplicates, and for edges of which there may be several: those are
  /// serialized separately.
  init?(_ change: ChangeIntent) {
    guard let subject = change.subjects.first else { return nil }
    switch change {
    case .follow, .unfollow, .block, .unblock, .blockList, .unblockList: self = .edges(subject)
    case .make(let edge), .remove(let edge):
      guard edge.kind.isUnique else { return nil }
      self = .edges(subject)
    case .mute, .unmute, .muteList, .unmuteList: self = .mute(subject)
    case .list, .deduplicate, .friends, .posts, .profile: return nil
    }
  }

  /// Whether it is about all members of a list.
  var isList: Bool {
    switch self {
    case .edges(.list), .mute(.list): true
    case .edges, .mute: false
    }
  }

  /// Returns the changes for an intent, each before those that may depend on it.
  func changes(for desired: DesiredState) -> [ChangeIntent] {
    switch self {
    case .edges(let subject):
      desired.edges.sorted { "\($0.key.collection)" < "\($1.key.collection)" }.compactMap { kind, isThere in
        RecordEdge(kind, to: subject).map { (isThere ? ChangeIntent.make($0) : .remove($0)).withItsRules }
      }
    case .mute(.account(let account)):
      desired.mute.map { $0.scope.map { [.mute(account, $0)] } ?? [.unmute(account)] } ?? []
    case .mute(.list(let list)):
      desired.mute.map { [$0 == .absent ? .unmuteList(list) : .muteList(list)] } ?? []
    case .mute(.listName), .mute(.post), .mute(.newPosts), .mute(.profile): []
    }
  }
}

extension RecordEdge {
  /// The edge of a kind to the subject of a step; nil if such an edge is about something else.
  fileprivate init?(_ kind: EdgeKind, to subject: ChangeStep.Subject) {
    switch subject {
    case .account(let account): self.init(kind, to: account)
    case .list(let list): self.init(kind, to: list)
    case .listName, .post, .newPosts, .profile: return nil
    }
  }
}
