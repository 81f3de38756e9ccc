// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

/// Answers who is friends with whom, and who has asked whom.
///
/// Everything is read from the repositories of the two accounts, and blocks from the AppView. What a server does not tell
/// is unknown, never a "no".
public struct Friendships: Sendable {
  private static let concurrency = 8

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
    let reader = try await reader(of: actor)
    let candidates = try await reader.candidates()
    var list = FriendList()
    for (account, friendship) in try await reader.friendships(with: candidates) {
      switch friendship.isFriend {
      case true?:
        if let acceptance = friendship.acceptance {
          list.friends.append(Friend(account: account, since: acceptance.createdAt, friendship: friendship))
        }
      case nil: list.undecided += 1
      case false?: break
      }
    }
    list.friends.sort { ($1.since.instant, "\($1.account)") < ($0.since.instant, "\($0.account)") }
    return list
  }

  /// The requests that an account has written, newest first, and what became of them.
  ///
  /// - Throws: ``RepositoryError`` if the account's own records cannot be read; `CancellationError`.
  public func sent(by actor: DID) async throws -> SentRequests {
    let reader = try await reader(of: actor)
    let own = try await reader.own.value()
    var sent = SentRequests(unreadable: own.unreadable)
    let found = try await reader.friendships(with: Array(own.requests.keys))
    sent.requests = own.requests.values.map { request in
      (request, found[request.subject] ?? Friendship(asked: .unknown, askedBy: .unknown, isBlocked: nil))
    }.sorted { ($1.0.createdAt.instant, "\($1.0.uri)") < ($0.0.createdAt.instant, "\($0.0.uri)") }
    return sent
  }

  /// The policy of an account; nil if it does not take part.
  ///
  /// - Throws: ``RepositoryError``, ``IdentityError``, `CancellationError`.
  public func policy(of account: DID) async throws -> FriendPolicy? {
    try await FriendRecords(try await listings.reader(of: account)).policy()
  }

  package func reader(of actor: DID) async throws -> FriendshipReader {
    FriendshipReader(of: actor, by: listings)
  }
}

/// The friends of an account.
public struct FriendList: Sendable {
  /// The friends, newest first.
  public internal(set) var friends: [Friend] = []
  /// Of how many accounts it could not be found out whether they are friends.
  public internal(set) var undecided = 0
}

/// A friend.
public struct Friend: Sendable {
  /// The account.
  public let account: DID
  /// When the request was accepted, as its author claims.
  public let since: Datetime
  /// The records.
  public let friendship: Friendship
}

/// The requests that an account has written.
public struct SentRequests: Sendable {
  /// The requests, newest first, and what became of them.
  public internal(set) var requests: [(request: FriendRequest, friendship: Friendship)] = []
  /// How many records are no requests.
  public internal(set) var unreadable: Int
}

/// The friendships of one account, whose own records are read once.
package actor FriendshipReader {
  private static let concurrency = 8
  private static let batchSize = 8 * AppViewRelationshipSource.targetsPerCall

  private let actor: DID
  private let listings: Listings
  nonisolated let own: ReadOnce<OwnFriendRecords>

  init(of actor: DID, by listings: Listings) {
    (self.actor, self.listings) = (actor, listings)
    own = ReadOnce { try await OwnFriendRecords(FriendRecords(try await listings.reader(of: actor))) }
  }

  /// The accounts that may be friends: those that were asked, and those whose request was accepted.
  func candidates() async throws -> [DID] {
    let own = try await own.value()
    return Array(Set(own.requests.keys).union(own.answers.compactMap(\.value.requester)))
  }

  /// What the account and others have asked of each other.
  package func friendships(with others: [DID]) async throws -> [DID: Friendship] {
    var all: [DID: Friendship] = [:]
    for batch in others.parts(of: Self.batchSize) {
      let own = try await own.value()
      let found = try await batch.concurrentMap(atMost: Self.concurrency) { [listings, actor] other in
        (other, try await Self.standings(of: actor, with: other, own, by: listings))
      }
      let blocks = try await blocks(among: found.filter { $0.1.mattersWhetherBlocked }.map(\.0))
      for (other, standings) in found {
        let isBlocked = standings.mattersWhetherBlocked ? blocks[other] ?? nil : false
        all[other] = Friendship(asked: standings.asked, askedBy: standings.askedBy, isBlocked: isBlocked)
      }
    }
    return all
  }

  private static func standings(
    of actor: DID, with other: DID, _ own: OwnFriendRecords, by listings: Listings
  ) async throws -> (asked: Friendship.Standing, askedBy: Friendship.Standing, mattersWhetherBlocked: Bool) {
    let moment = listings.client.time.instant
    let theirs: Result<FriendRecords, any Error>
    do { theirs = .success(FriendRecords(try await listings.reader(of: other))) } catch {
      theirs = .failure(error)
    }
    func sighting<Record: Sendable & Hashable>(
      _ read: (FriendRecords) async throws -> Record?
    ) async throws -> Sighting<Record> {
      do {
        let records = try theirs.get()
        guard let record = try await read(records) else { return .none }
        return .found(record)
      } catch let error as IdentityError where error.code == .notFound {
        return .none
      } catch {
        if RelationshipError.wrapping(error) == nil { throw error }
        return .unknown
      }
    }
    let request = try await sighting { try await $0.request(to: actor) }
    let asked: Friendship.Standing
    if let mine = own.requests[other] {
      asked = .init(of: .found(mine), try await sighting { try await $0.answer(to: mine) }, at: moment)
    } else {
      asked = .none
    }
    let answer = request.record.flatMap { own.answers[$0.version] }
    let askedBy = Friendship.Standing(of: request, answer.map(Sighting.found) ?? .none, at: moment)
    return (asked, askedBy, asked.request != nil || askedBy.request != nil)
  }

  /// Whether there is a block between the account and others, whose repositories are there; nil where that could not be
  /// found out.
  private func blocks(among others: [DID]) async throws -> [DID: Bool?] {
    var found: [DID: Bool?] = [:]
    if others.isEmpty { return found }
    var answers = listings.relationships.relationships(of: actor, with: others).makeAsyncIterator()
    while let answer = try await answers.next() {
      guard let target = answer.target, let info = answer.info else { continue }
      found.updateValue(Relation.blocked.holds(for: info, isShown: true), forKey: target)
    }
    return found
  }
}

/// The requests and answers in a repository, by what they are looked up with.
struct OwnFriendRecords: Sendable {
  private(set) var requests: [DID: FriendRequest] = [:]
  private(set) var answers: [RecordVersion: FriendAnswer] = [:]
  private(set) var unreadable = 0

  init(_ records: FriendRecords) async throws {
    for try await request in records.requests() {
      if let request { requests[request.subject] = request } else { unreadable += 1 }
    }
    for try await answer in records.answers() {
      if let answer { answers[answer.request] = answer } else { unreadable += 1 }
    }
  }
}
