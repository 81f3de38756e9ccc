// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

extension Friendships {
  /// Accounts that a backlink index says have written requests to an account, in its order (newest first), and how many
  /// it knows in all.
  public struct Askers: Sendable {
    /// The accounts, each once.
    public internal(set) var accounts: [DID] = []
    /// How many records the index knows; nil if it does not tell.
    public internal(set) var total: Int?
    /// How many records were left out because their key is not the DID of the account, so that they are no requests.
    public internal(set) var otherKeys = 0
    /// Whether the index knows more.
    public internal(set) var hasMore = false
  }

  /// The accounts that have written requests to an account, as far as the index knows: a lower bound.
  ///
  /// - Parameters:
  ///   - skipped: how many records to pass over.
  ///   - most: the most records to look at.
  /// - Throws: ``RelationshipError``; also without an index. `CancellationError`.
  public func askers(of account: DID, after skipped: Int = 0, most: Int) async throws -> Askers {
    guard let index = listings.index else { throw RelationshipError.clientNotConfigured }
    var askers = Askers()
    var seen: Set<DID> = []
    let key = FriendRequest.key(to: account)
    var links = index.links(from: BacklinkIndex.Source(.friendRequest), to: { account.description }, { $0 })
      .makeAsyncIterator()
    var place = 0
    while let link = try await links.next() {
      if place == skipped + most {
        askers.hasMore = true
        break
      }
      place += 1
      guard place > skipped else { continue }
      if link.record?.recordKey == key {
        if seen.insert(link.account).inserted { askers.accounts.append(link.account) }
      } else {
        askers.otherKeys += 1
      }
    }
    askers.total = links.total
    return askers
  }

  /// What the repositories of other accounts say about their requests to an account: one `com.atproto.repo.getRecord`
  /// each; and the first failure of a server.
  ///
  /// - Throws: `CancellationError`.
  package func requests(
    from others: [DID], to account: DID
  ) async throws -> (found: [DID: Sighting<FriendRequest>], fault: RelationshipError?) {
    let faults = FirstFault()
    let found = try await others.concurrentMap(atMost: 16) { other in
      (other, try await listings.sighting(in: other, faults) { try await $0.request(to: account) })
    }
    return (Dictionary(found) { first, _ in first }, await faults.error)
  }

  /// Whether an account wants to be asked before it is followed on Weaver, whose records are the same idea.
  ///
  /// - Throws: ``RepositoryError``, `IdentityError`, `CancellationError`.
  public func approvesFollowersOnWeaver(_ account: DID) async throws -> Bool {
    try await listings.approvesFollowersOnWeaver(account)
  }

  /// How many follows of an account on Weaver wait for its approval, as far as the index knows.
  ///
  /// - Throws: ``RelationshipError``, ``RepositoryError``, `CancellationError`.
  public func followsAwaitingApprovalOnWeaver(of account: DID) async throws -> Int {
    try await listings.followsAwaitingApprovalOnWeaver(of: account)
  }

  /// Whether an account has written requests or answers.
  package func hasRecords(_ account: DID) async throws -> Bool {
    let own = try await reader(of: account).own.value()
    return !own.requests.isEmpty || !own.answers.isEmpty
  }

  /// The answers that an account has written, by the version of the request.
  package func answers(of account: DID) async throws -> [RecordVersion: FriendAnswer] {
    try await reader(of: account).own.value().answers
  }
}
