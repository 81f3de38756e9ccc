// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore

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

  /// Why something is unknown: the first failure of a server, if there was any.
  package let faults = FirstFault()

  /// What the account and others have asked of each other.
  package func friendships(with others: [DID]) async throws -> [DID: Friendship] {
    var all: [DID: Friendship] = [:]
    for batch in others.parts(of: Self.batchSize) {
      let own = try await own.value()
      let found = try await batch.concurrentMap(atMost: Self.concurrency) { [listings, actor, faults] other in
        (other, try await Self.standings(of: actor, with: other, own, by: listings, faults))
      }
      let blocks = try await blocks(among: found.filter { $0.1.mattersWhetherBlocked }.map(\.0))
      for (other, standings) in found {
        let isBlocked = standings.mattersWhetherBlocked ? blocks[other] ?? nil : nil
        all[other] = Friendship(asked: standings.asked, askedBy: standings.askedBy, isBlocked: isBlocked)
      }
    }
    return all
  }

  private static func standings(
    of actor: DID, with other: DID, _ own: OwnFriendRecords, by listings: Listings,
    _ faults: FirstFault
  ) async throws -> (asked: Friendship.Standing, askedBy: Friendship.Standing, mattersWhetherBlocked: Bool) {
    let moment = listings.client.time.instant
    let request = try await listings.sighting(in: other, faults) { try await $0.request(to: actor) }
    let asked: Friendship.Standing
    if let mine = own.requests[other] {
      let answer = try await listings.sighting(in: other, faults) { try await $0.answer(to: mine) }
      asked = .init(of: .found(mine), answer, at: moment)
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
      if case .failed(let error) = answer.state { await faults.add(error) }
      guard let target = answer.target, let info = answer.info else { continue }
      found.updateValue(Relation.blocked.holds(for: info, isShown: true), forKey: target)
    }
    return found
  }
}

/// The first of several failures.
package actor FirstFault {
  /// The failure; nil if there was none.
  package private(set) var error: RelationshipError?

  package init() {}

  func add(_ error: RelationshipError) { self.error = self.error ?? error }
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

extension Listings {
  /// What a repository says about a record; an account that does not exist has none. A server that does not show the
  /// repository has not failed.
  ///
  /// - Throws: `CancellationError`, and what is no failure of the network.
  func sighting<Record: Sendable & Hashable>(
    in account: DID, _ faults: FirstFault, _ read: (FriendRecords) async throws -> Record?
  ) async throws -> Sighting<Record> {
    do {
      guard let record = try await read(FriendRecords(try await reader(of: account))) else { return .none }
      return .found(record)
    } catch let error as IdentityError where error.code == .notFound {
      return .none
    } catch let error as RepositoryError where error.code == .refused {
      return .unknown
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      await faults.add(fault)
      return .unknown
    }
  }
}
