// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships
import KithWriting

/// Follows, blocks or mutes accounts, or ends that.
public struct ChangeAccounts: ChangeSource {
  public static let name = "changeAccounts"

  /// What is done about each account.
  public enum Kind: Sendable, Hashable {
    /// Follow it in each of the graphs, unless it wants to be asked first.
    case follow(in: [FollowGraph] = [.bluesky], evenUnapproved: Bool = false)
    case unfollow(in: [FollowGraph] = [.bluesky])
    /// Block it, and end the follow of Bluesky and those in other graphs.
    case block(endingIn: [FollowGraph] = [])
    case unblock
    case mute(MuteScope = .everything)
    /// End the mute; with a scope only one that is limited to it.
    case unmute(MuteScope? = nil)
  }

  /// The accounts.
  public var accounts: AccountChoice
  /// What is done.
  public var kind: Kind

  public init(_ kind: Kind, _ accounts: AccountChoice) { (self.kind, self.accounts) = (kind, accounts) }

  public var title: ChangeTitle {
    switch kind {
    case .follow: .follow
    case .unfollow: ChangeTitle("unfollow", "unfollowed")
    case .block: .block
    case .unblock: ChangeTitle("unblock", "unblocked")
    case .mute: ChangeTitle("mute", "muted")
    case .unmute: ChangeTitle("unmute", "unmuted")
    }
  }

  public var confirmation: ConfirmationRule {
    switch kind {
    case .unfollow, .block, .unblock: ConfirmationRule(from: 2, chosenBy: accounts.choice)
    case .follow, .mute, .unmute: ConfirmationRule(chosenBy: accounts.choice)
    }
  }

  /// The graphs whose listings are meant, and in which the change is made.
  private var graphs: [FollowGraph] {
    switch kind {
    case .follow(let graphs, _), .unfollow(let graphs): graphs
    case .block, .unblock, .mute, .unmute: [.bluesky]
    }
  }

  private func change(_ account: DID, _ graph: FollowGraph) -> ChangeIntent {
    switch kind {
    case .follow: .follow(account, in: graph)
    case .unfollow: .unfollow(account, in: graph)
    case .block: .block(account)
    case .unblock: .unblock(account)
    case .mute(let scope): .mute(account, scope)
    case .unmute: .unmute(account)
    }
  }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    var remains: OtherRecordsOfBlocked?
    if case .block(let others) = kind {
      // Begun before the names are looked up: the block does not wait for it.
      let look = OtherRecordsOfBlocked(of: preparation.account, endingIn: others, in: preparation.workspace)
      preparation.beside { await look.look() }
      remains = look
    }
    let found = try await accounts.accounts(in: graphs, preparation)
    var prepared = PreparedChanges(found.requests(in: graphs, change))
    prepared.remains = remains
    switch kind {
    case .block(let others): prepared.requests += found.requests(in: others) { .unfollow($0, in: $1) }
    case .unmute(let scope?): prepared.narrowing = { $0.ending(only: scope) }
    case .follow(let graphs, evenUnapproved: false) where graphs.contains(.bluesky) && !found.members.isEmpty:
      guard areChecked(found) else {
        preparation.note(.approvalNotAsked)
        return prepared
      }
      FollowApprovals(of: found, as: preparation.account, in: preparation.workspace)
        .check(&prepared, preparation)
    case .follow, .unfollow, .unblock, .mute, .unmute: break
    }
    return prepared
  }

  /// Whether all accounts are named, and few enough to read their policies.
  private func areChecked(_ found: SelectedAccounts) -> Bool {
    accounts.namedCount.map { max($0, found.members.count) <= FollowApprovals.mostAccounts } ?? false
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    let own = estimate.account.did
    try await estimate.read(graphs.reduce(into: []) { $0.formUnion(change(own, $1).needs) })
    try await accounts.add(to: &estimate, in: graphs, change)
    switch kind {
    case .block: estimate.costs.addOtherRecordsOfBlocked()
    case .follow(let graphs, evenUnapproved: false) where graphs.contains(.bluesky):
      if let count = accounts.namedCount, count <= FollowApprovals.mostAccounts {
        estimate.costs.addFriendRecords(policiesOf: count)
      }
    case .follow, .unfollow, .unblock, .mute, .unmute: break
    }
  }
}
