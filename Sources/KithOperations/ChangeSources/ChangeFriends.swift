// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// Asks accounts to be friends or for permission to follow them, answers their requests, or ends that.
public struct ChangeFriends: ChangeSource {
  public static let name = "changeFriends"

  /// The accounts.
  public var accounts: AccountChoice
  /// What is done about each.
  public var kind: FriendChanges.Kind
  /// The kind of the requests to answer; nil for both.
  public var asking: FriendRequest.Kind?
  /// The version of the request to answer; nil for those that rows name, or any.
  public var version: CID?

  public init(_ kind: FriendChanges.Kind, _ accounts: AccountChoice) {
    (self.kind, self.accounts) = (kind, accounts)
  }

  public var title: ChangeTitle {
    switch kind {
    case .request: ChangeTitle("request", "asked", imperative: "Ask")
    case .cancel: ChangeTitle("cancel", "withdrawn", imperative: "Withdraw requests to")
    case .accept: ChangeTitle("accept", "accepted", imperative: "Accept requests of")
    case .decline: ChangeTitle("decline", "declined", imperative: "Decline requests of")
    case .remove: ChangeTitle("remove", "ended", noun: "friendship", imperative: "End")
    }
  }

  public var confirmation: ConfirmationRule {
    ConfirmationRule(from: kind == .remove ? 2 : nil, chosenBy: accounts.choice)
  }

  /// - Throws: ``OperationError`` `requestsUnseen` if requests would be accepted that no one has seen.
  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let found = try await accounts.accounts(preparation)
    let workspace = preparation.workspace
    let changes = try await FriendChanges(
      kind, of: found, asking: asking, version: version, as: preparation.account, in: workspace)
    var prepared = PreparedChanges(changes.requests)
    prepared.narrowing = changes.checked
    prepared.notes = { changes.isFirst($0) ? [.friendsArePublic] : [] }
    if !changes.unseen.isEmpty, !preparation.isPreview {
      // A yes that was given before the request was shown is not about the request, nor is one below a plan that shows
      // only a part of them.
      guard preparation.asks, changes.requests.count <= PlannedQuestion.mostRows else {
        throw OperationError.requestsUnseen(changes.unseen)
      }
      let now = Datetime(at: workspace.time.instant)
      prepared.concern = { _ in .unseenRequests(changes.unseen, at: now) }
    }
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    // How it looks before the requests are read; its cost is the same.
    try await estimate.read(kind.change(estimate.account.did).needs)
    try await accounts.add(to: &estimate) { account, _ in kind.change(account) }
    switch kind {
    case .accept, .decline: estimate.costs.addFriendRecords(targets: max(1, estimate.count), each: 1)
    case .cancel, .remove: break
    case .request:
      estimate.costs.addFriendRecords(targets: max(1, estimate.count), each: 2)
      // The own policy, for the end of the request.
      estimate.addCalls("com.atproto.repo.getRecord")
    }
  }
}

extension OperationError {
  /// - Parameter unseen: at least one.
  package static func requestsUnseen(_ unseen: [UnseenRequest]) -> OperationError {
    let first = unseen.prefix(3).map { "\($0.name): \($0.request.kind.rawValue)" }
    let more = unseen.count > first.count ? " and \(unseen.count - first.count) more" : ""
    return OperationError(
      .requestsUnseen, .usage,
      "requests are accepted only after they were shown, or by kind (\(first.joined(separator: ", "))\(more))",
      [
        "count": .integer(unseen.count),
        "kinds": .array(Set(unseen.map(\.request.kind.rawValue)).sorted().map { .string($0) }),
      ])
  }
}
