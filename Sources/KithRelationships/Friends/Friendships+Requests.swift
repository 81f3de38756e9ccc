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
    /// How many records were left out because their key is not the DID of the account, so they are not requests.
    public internal(set) var otherKeys = 0
    /// Whether the index knows more.
    public internal(set) var hasMore = false
  }

  /// The accounts that have written requests to an account and that the index knows: a lower bound.
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
  ) async throws -> (found: [DID: Lookup<FriendRequest>], fault: RelationshipError?) {
    let faults = ReadFaults()
    let found = try await listings.sightings(in: others, faults) { try await $0.request(to: account) }
    return (found, await faults.error)
  }

  /// How many follows of an account on Weaver are looked at.
  private static var mostWeaverFollows: Int { 500 }

  /// Whether an account wants to be asked before it is followed on Weaver, whose records are the same idea.
  ///
  /// - Throws: ``RepositoryError``, `IdentityError`, `CancellationError`.
  public func approvesFollowersOnWeaver(_ account: DID) async throws -> Bool {
    try await listings.reader(of: account).weaverGate() != nil
  }

  /// How many follows of an account on Weaver wait for its approval, of those that the index knows; 0 without a gate.
  ///
  /// - Throws: ``RelationshipError``, ``RepositoryError``, `CancellationError`.
  public func followsAwaitingApprovalOnWeaver(of account: DID) async throws -> Int {
    let repository = try await listings.reader(of: account)
    guard let index = listings.index, try await repository.weaverGate() != nil else { return 0 }
    var accepted: Set<String> = []
    for try await case let follow? in repository.weaverAcceptances() { accepted.insert(follow.uri) }
    var (looked, waiting) = (0, 0)
    for try await link in index.links(
      from: BacklinkIndex.Source(FollowGraph.weaver.kind), to: { account.description }, { $0 })
    {
      if looked == Self.mostWeaverFollows { break }
      looked += 1
      if let record = link.record, !accepted.contains(record.description) { waiting += 1 }
    }
    return waiting
  }

  /// The answers that an account has written, by the version of the request.
  package func answers(of account: DID) async throws -> [RecordVersion: FriendAnswer] {
    try await reader(of: account).own.value().answers
  }
}
