// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// Lists the friends of an account, newest first, then its mutuals.
public struct ListFriends: KithOperation {
  public static let name = "listFriends"

  /// The account.
  public var actor: ATIdentifier
  /// Which accounts to list; nil for both kinds, each account once.
  public var basis: FriendRow.Basis?
  /// The most rows; nil for all.
  public var limit: Int?
  /// A filter; nil for all.
  public var predicate: AccountPredicate?

  /// Creates the operation.
  public init(
    of actor: ATIdentifier, by basis: FriendRow.Basis? = nil, where predicate: AccountPredicate? = nil,
    limit: Int? = nil
  ) {
    (self.actor, self.basis, self.predicate, self.limit) = (actor, basis, predicate, limit)
  }

  /// What was found.
  public struct Outcome: OutcomeOfRows {
    /// How many friends by consent were listed.
    public fileprivate(set) var friends = 0
    /// How many mutuals that are not friends by consent were listed.
    public fileprivate(set) var mutuals = 0
    /// Of how many accounts it could not be found out whether they are friends.
    public fileprivate(set) var undecided = 0
    /// How the rows were delivered.
    public fileprivate(set) var rows = RowsOutcome()

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "friends": .integer(friends),
        "mutuals": .integer(mutuals),
        "undecided": .integer(undecided),
      ])
    }
  }

  private static let batchSize = 8 * AccountViews.batchSize

  /// Lists the accounts.
  ///
  /// - Throws: `RepositoryError` if the account's own records cannot be read, ``OperationError``, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<FriendRow>) async throws -> Outcome {
    var outcome = Outcome()
    let owner = try await workspace.identities.did(of: actor)
    let list = try await workspace.friendships().friends(of: owner)
    outcome.undecided = list.undecidedAccounts.count
    var documents = Workspace.mostNamingDocuments
    let ownHandle = try await workspace.accountIfAny()?.handle(in: .follows(of: .did(owner)))
    var doubt: (any Error)?
    let rows = await report.deliver { rows in
      if basis != .mutuals {
        for batch in list.friends.parts(of: Self.batchSize) {
          let wanted = try await workspace.accounts(
            batch.map(\.account), matching: predicate, report.note)
          let views = try await workspace.namesFromAnywhere(of: wanted, &documents)
          for friend in batch where wanted.contains(friend.account) && outcome.friends < limit ?? .max {
            outcome.friends += 1
            try await rows.append(FriendRow(friend, named: views[friend.account]))
          }
          try await rows.flush()
        }
      }
      guard basis != .consent, outcome.friends < limit ?? .max else { return }
      let friends = Set(list.friends.map(\.account))
      var query = ListingQuery.mutuals(of: .did(owner))
      if let predicate { query = query.narrowed(to: predicate) }
      var mutuals = try await workspace.accounts(query, with: .dates, usingCache: true)
        .makeAsyncIterator()
      while outcome.friends + outcome.mutuals < limit ?? .max, let view = try await mutuals.next() {
        if basis == nil, friends.contains(view.account) { continue }
        outcome.mutuals += 1
        try await rows.append(FriendRow(mutual: view))
      }
      doubt = mutuals.coverage.doubt
      // A part of a listing says nothing about the whole.
      if mutuals.isAtEnd || doubt != nil {
        report.note(.listed(ListingReport(query.listing, mutuals.coverage, owner: ownHandle)))
      }
    }
    outcome.rows = rows.marked(interruptedBy: list.fault ?? doubt)
    return outcome
  }
}

extension Workspace {
  /// Those of some accounts that match a predicate.
  ///
  /// - Parameter note: receives for how many that could not be found out, and why.
  /// - Throws: ``OperationError`` `predicateUndecided` if that is because of an error.
  func accounts(
    _ accounts: [DID], matching predicate: AccountPredicate?, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> Set<DID> {
    guard let predicate, !accounts.isEmpty else { return Set(accounts) }
    let names = TargetStream(origins: accounts.map { .question(RelationshipQuestion($0)) })
    let account = try await accountIfAny()
    let selected = try await self.accounts(
      of: AccountSelection([.names(names)], where: predicate), as: account, skippingInvalid: false, note)
    return Set(selected.members.compactMap { try? $0.account.get() })
  }
}
