// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

/// Friends by consent: which accounts are friends, and which requests are open.
///
/// Everything is read from the repositories of the two accounts, and blocks from the AppView. What a server does not tell
/// is unknown, never a "no".
public struct Friendships: Sendable {
  let listings: Listings

  /// Creates the service.
  ///
  /// - Parameter listings: with the clients of repositories (``Listings/RepositoryClient``).
  public init(_ listings: Listings) { self.listings = listings }

  /// What an account and others have asked of each other.
  ///
  /// One `com.atproto.repo.getRecord` for each of the others, one more for each request that the account has written to
  /// one of them, all records of the account's own once, and a `getRelationships` for 30 of those where blocks matter.
  /// - Throws: ``RepositoryError`` if the account's own records cannot be read; `CancellationError`.
  public func friendships(of actor: DID, with others: [DID]) async throws -> [DID: Friendship] {
    try await reader(of: actor).friendships(with: others)
  }

  /// The accounts that are friends of an account, newest first.
  ///
  /// - Throws: ``RepositoryError`` if the account's own records cannot be read; `CancellationError`.
  public func friends(of actor: DID) async throws -> FriendList {
    let reader = reader(of: actor)
    let candidates = try await reader.candidates()
    var list = FriendList()
    for (account, friendship) in try await reader.friendships(with: candidates) {
      switch friendship.isFriend {
      case true?:
        if let (request, answer) = friendship.consent {
          list.friends.append(Friend(account: account, request: request, answer: answer))
        }
      case nil: list.undecidedAccounts.insert(account)
      case false?: break
      }
    }
    list.fault = await reader.faults.error
    list.friends.sort { ($1.since.instant, "\($1.account)") < ($0.since.instant, "\($0.account)") }
    return list
  }

  /// The requests that an account has written, newest first, and what became of them.
  ///
  /// - Throws: ``RepositoryError`` if the account's own records cannot be read; `CancellationError`.
  public func sent(by actor: DID) async throws -> SentRequests {
    try await reader(of: actor).sent()
  }

  /// The policy of an account; nil if it does not take part.
  ///
  /// - Throws: ``RepositoryError``, `IdentityError`, `CancellationError`.
  public func policy(of account: DID) async throws -> FriendPolicy? {
    try await FriendRecords(try await listings.reader(of: account)).policy()
  }

  package func reader(of actor: DID) -> FriendshipReader { FriendshipReader(of: actor, by: listings) }

  /// The policies of accounts, each by one `com.atproto.repo.getRecord`; and why some are unknown.
  ///
  /// - Throws: `CancellationError`.
  package func policies(
    of accounts: [DID]
  ) async throws -> (found: [DID: Lookup<FriendPolicy>], causes: [DID: RelationshipError]) {
    let faults = ReadFaults()
    let found = try await listings.sightings(in: accounts, faults) { try await $0.policy() }
    return (found, await faults.causes)
  }
}

/// The friends of an account.
public struct FriendList: Sendable {
  /// The friends, newest first.
  public internal(set) var friends: [Friend] = []
  /// The accounts of which it could not be found out whether they are friends.
  public internal(set) var undecidedAccounts: Set<DID> = []
  /// The failure of a server that left something unknown; nil if there was none.
  public internal(set) var fault: RelationshipError?

  package init() {}
}

/// A friend.
public struct Friend: Sendable {
  /// The account.
  public let account: DID
  /// The request, of either of the two.
  public let request: FriendRequest
  /// Its acceptance.
  public let answer: FriendAnswer

  /// When the request was accepted, as its author claims.
  public var since: Datetime { answer.createdAt }
}

/// The requests that an account has written.
public struct SentRequests: Sendable {
  /// The requests, newest first, and what became of them.
  public internal(set) var requests: [(request: FriendRequest, friendship: Friendship)] = []
  /// How many records are not requests or answers.
  public internal(set) var unreadable: Int
  /// The failure of a server that left something unknown; nil if there was none.
  public package(set) var fault: RelationshipError?

  package init(unreadable: Int = 0) { self.unreadable = unreadable }
}

extension FriendshipReader {
  /// The requests that the account has written, newest first, and what became of them.
  package func sent() async throws -> SentRequests {
    let own = try await own.value()
    var sent = SentRequests(unreadable: own.unreadable)
    let found = try await friendships(with: Array(own.requests.keys))
    sent.fault = await faults.error
    sent.requests = own.requests.values.map { request in
      (request, found[request.subject] ?? Friendship(asked: .unknown, askedBy: .unknown, isBlocked: nil))
    }.sorted { ($1.0.createdAt.instant, "\($1.0.uri)") < ($0.0.createdAt.instant, "\($0.0.uri)") }
    return sent
  }
}
