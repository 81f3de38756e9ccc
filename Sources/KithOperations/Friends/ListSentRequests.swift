// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// Lists the requests that an account has sent, newest first.
public struct ListSentRequests: KithOperation {
  public static let name = "listSentRequests"

  /// The account.
  public var actor: ATIdentifier
  /// A filter; nil for all.
  public var predicate: AccountPredicate?
  /// The most rows; nil for all.
  public var limit: Int?

  /// Creates the operation.
  public init(by actor: ATIdentifier, where predicate: AccountPredicate? = nil, limit: Int? = nil) {
    (self.actor, self.predicate, self.limit) = (actor, predicate, limit)
  }

  /// What was found.
  public struct Outcome: OutcomeOfRows {
    /// How many records are not requests or answers.
    public fileprivate(set) var unreadable = 0
    /// How the rows were delivered.
    public fileprivate(set) var rows = RowsOutcome()

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "unreadable": .integer(unreadable),
      ])
    }
  }

  /// Lists the requests.
  ///
  /// - Throws: `RepositoryError` if the account's own records cannot be read, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<FriendRequestRow>) async throws -> Outcome {
    let owner = try await workspace.identities.did(of: actor)
    let sent = try await workspace.friendships().sent(by: owner)
    let wanted = try await workspace.accounts(
      sent.requests.map(\.request.subject), matching: predicate, report.note)
    let shown = sent.requests.filter { wanted.contains($0.request.subject) }.prefix(limit ?? .max)
    var documents = Workspace.mostNamingDocuments
    let views = try await workspace.namesFromAnywhere(of: shown.map(\.request.subject), &documents)
    let (relationships, failure) = try await workspace.relationships()
      .known(of: owner, with: shown.map(\.request.subject))
    var outcome = Outcome(unreadable: sent.unreadable)
    let now = workspace.time.instant
    outcome.rows = await report.deliver { rows in
      for (request, friendship) in shown {
        let (state, answer) = FriendRequestRow.State.of(friendship.asked, isBlocked: friendship.isBlocked)
        try await rows.append(
          FriendRequestRow(
            request, state, answer: answer, with: views[request.subject] ?? AccountView(request.subject),
            relationships[request.subject], now: now))
      }
    }
    outcome.rows = outcome.rows.marked(interruptedBy: sent.fault ?? failure)
    return outcome
  }
}

extension FriendRequestRow.State {
  fileprivate static func of(
    _ standing: Friendship.RequestState, isBlocked: Bool?
  ) -> (state: FriendRequestRow.State, answer: FriendAnswer?) {
    switch standing {
    case .none, .unknown: (.unknown, nil)
    case .open: (isBlocked == true ? .void : .open, nil)
    case .expired: (.expired, nil)
    case .accepted(_, let answer): (isBlocked == true ? .void : .accepted, answer)
    }
  }
}
