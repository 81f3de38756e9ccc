// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// What the follow buttons of accounts show to the signed-in account: a row for each, in their order.
///
/// They are answered from what the workspace knows, with the account's own changes, also those that the AppView does not show yet.
public struct ShowFollowButtons: KithOperation {
  public static let name = "showFollowButtons"

  /// The accounts.
  public var accounts: [DID]
  /// Whether what was learned earlier is asked again.
  public var asksAgain: Bool
  /// Whether names that are not known yet are asked for.
  public var wantsNames: Bool
  /// Whether friend requests and the terms of the accounts are read, from their repositories and the own one.
  public var wantsRequests: Bool

  public init(
    _ accounts: [DID], askingAgain asksAgain: Bool = false, withNames wantsNames: Bool = false,
    withRequests wantsRequests: Bool = false
  ) {
    (self.accounts, self.asksAgain) = (accounts, asksAgain)
    (self.wantsNames, self.wantsRequests) = (wantsNames, wantsRequests)
  }

  /// - Throws: `SessionError` if no account is signed in; `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<FollowButtonRow>) async throws -> RowsOutcome {
    let viewer = try await workspace.account()
    let service = workspace.relationships(mutesOf: viewer)
    if asksAgain { service.markStale() }
    async let requests = requests(of: viewer, in: workspace)
    let mutes = try await workspace.confirmed(await workspace.timedEdges(of: viewer.did).mutes, of: viewer)
    let known = try await requests
    let lists = await workspace.listNames()
    let views = try await workspace.names().views(of: accounts, asking: wantsNames)
    return await report.deliver { rows in
      var answers = service.relationships(of: viewer.did, with: accounts).makeAsyncIterator()
      while let answer = try await answers.next() {
        guard let account = answer.target else { continue }
        var button = FollowButton(answer)
        if let mute = mutes[account] { button.show(mute) }
        button.policy = known.policies[account]
        if let friendship = known.friendships[account] { button.show(friendship) }
        try await rows.append(
          FollowButtonRow(
            view: views[account] ?? AccountView(account), button: button,
            lists: [button.blockingList, button.blockedByList].compactMap(\.self).reduce(into: [:]) {
              $0[$1] = lists[$1]
            }, isItself: answer.state == .itself))
      }
    }
  }

  private func requests(
    of viewer: AuthorizedAccount, in workspace: Workspace
  ) async throws -> (friendships: [DID: Friendship], policies: [DID: FriendPolicy]) {
    let others = accounts.filter { $0 != viewer.did }
    guard wantsRequests, !others.isEmpty else { return ([:], [:]) }
    let friends = workspace.friendships()
    async let friendships = friends.friendships(of: viewer.did, with: others)
    let policies = try await friends.policies(of: others).found.compactMapValues(\.record)
    // A server that does not answer leaves them unknown, not the page.
    return ((try? await friendships) ?? [:], policies)
  }
}

/// What the follow button of an account shows.
public struct FollowButtonRow: Sendable {
  /// The account, with its names as far as they are known here.
  public let view: AccountView
  public var button: FollowButton
  /// The names of the lists that block, where they are known.
  public let lists: [ATURI: String]
  /// Whether it is the signed-in account, which has no button.
  public let isItself: Bool

  public var account: DID { view.account }
}

extension FollowButton {
  fileprivate init(_ answer: RelationshipAnswer) {
    switch answer.state {
    case .known(let info): self.init(ObservedRelationship(info, .fresh))
    case .failed(let error): self.init(ObservedRelationship(nil, .failed(error)))
    case .itself, .notFound: self.init()
    }
    if case .notFound = answer.state { status = .deleted }
  }

  /// Shows how much a mute hides and when it ends, which no relationship says.
  fileprivate mutating func show(_ mute: TimedEdge) {
    muteEnds = mute.until
    if let scope = mute.scope { profileMute = .direct(scope) }
  }
}
