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
  /// Why something is unknown.
  package let faults = ReadFaults()

  init(of actor: DID, by listings: Listings) {
    (self.actor, self.listings) = (actor, listings)
    own = ReadOnce { try await OwnFriendRecords(FriendRecords(try await listings.reader(of: actor))) }
  }

  /// Whether the account has written requests or answers.
  package func hasRecords() async throws -> Bool {
    let own = try await own.value()
    return !own.requests.isEmpty || !own.answers.isEmpty
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
      let found = try await batch.concurrentMap(atMost: Self.concurrency) { [listings, actor, faults] other in
        (other, try await Self.states(of: actor, with: other, own, by: listings, faults))
      }
      // What is not there cannot be void.
      let requested = found.filter { $0.1.asked.request != nil || $0.1.askedBy.request != nil }.map(\.0)
      let blocks = try await blocks(among: requested)
      for (other, states) in found {
        all[other] = Friendship(
          asked: states.asked, askedBy: states.askedBy, isBlocked: blocks[other],
          fault: await faults.causes[other])
      }
    }
    return all
  }

  /// The versions of requests that the account has accepted and that are withdrawn, by the account that asked: its own
  /// server says that there is no such record, and that the repository is active. A server may say the former of a
  /// repository that it does not show or no longer has. One `com.atproto.repo.getRecord` for each account, and one
  /// `com.atproto.sync.getRepoStatus` for each that has none.
  package func withdrawn() async throws -> [DID: Set<RecordVersion>] {
    var accepted: [DID: Set<RecordVersion>] = [:]
    for answer in try await own.value().answers.values {
      if let requester = answer.requester { accepted[requester, default: []].insert(answer.request) }
    }
    let present = try await listings.sightings(in: Array(accepted.keys), faults) { [actor] records in
      try await records.hasRequest(to: actor)
    }
    let gone = accepted.filter { present[$0.key] == .found(false) }
    let found = try await Array(gone.keys).concurrentMap(atMost: Self.concurrency) {
      [listings, faults] account in
      (account, try await Self.isActive(account, by: listings, faults))
    }
    let active = Dictionary(found) { first, _ in first }
    return gone.filter { active[$0.key] == true }
  }

  /// Whether the own server of an account shows its repository; false if that could not be found out.
  private static func isActive(
    _ account: DID, by listings: Listings, _ faults: ReadFaults
  ) async throws -> Bool {
    do {
      guard let repository = listings.repository else { return false }
      let answer = try await AccountStatuses.answer(about: account, of: try await repository(account))
      return answer == .active
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      await faults.add(fault, about: [account])
      return false
    }
  }

  private static func states(
    of actor: DID, with other: DID, _ own: OwnFriendRecords, by listings: Listings,
    _ faults: ReadFaults
  ) async throws -> (asked: Friendship.RequestState, askedBy: Friendship.RequestState) {
    let moment = listings.client.time.instant
    let request = try await listings.sighting(in: other, faults) { try await $0.request(to: actor) }
    let asked: Friendship.RequestState
    if let mine = own.requests[other] {
      let answer = try await listings.sighting(in: other, faults) { try await $0.answer(to: mine) }
      asked = .init(of: .found(mine), answer, at: moment)
    } else {
      asked = .none
    }
    let answer = request.record.flatMap { own.answers[$0.version] }
    let askedBy = Friendship.RequestState(of: request, answer.map(Lookup.found) ?? .none, at: moment)
    return (asked, askedBy)
  }

  /// Whether there is a block between the account and others, whose repositories are there; those where that could not be
  /// found out are missing.
  private func blocks(among others: [DID]) async throws -> [DID: Bool] {
    if others.isEmpty { return [:] }
    let (found, fault) = try await listings.relationships(of: actor).known(of: actor, with: others)
    if let fault { await faults.add(fault, about: others.filter { found[$0] == nil }) }
    return found.compactMapValues { Relation.blocked.holds(for: $0, isShown: true) }
  }
}

/// Why something about accounts is unknown.
package actor ReadFaults {
  /// The first failure of a server; nil if there was none.
  package private(set) var error: RelationshipError?
  /// The first reason for each account about which something is unknown.
  package private(set) var causes: [DID: RelationshipError] = [:]

  package init() {}

  /// - Parameter isFailure: whether the server has failed, rather than told that it does not show the repository.
  func add(_ error: RelationshipError, about accounts: [DID], isFailure: Bool = true) {
    if isFailure { self.error = self.error ?? error }
    for account in accounts where causes[account] == nil { causes[account] = error }
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

extension Listings {
  private static let sightingsAtOnce = 16

  /// What the repositories of accounts say about a record each.
  ///
  /// - Throws: `CancellationError`, and errors that are not failures of the network.
  func sightings<Record: Sendable & Hashable>(
    in accounts: [DID], _ faults: ReadFaults,
    _ read: @escaping @Sendable (FriendRecords) async throws -> Record?
  ) async throws -> [DID: Lookup<Record>] {
    let found = try await accounts.concurrentMap(atMost: Self.sightingsAtOnce) { account in
      (account, try await sighting(in: account, faults, read))
    }
    return Dictionary(found) { first, _ in first }
  }

  /// What a repository says about a record; an account that does not exist has none. A server that does not show the
  /// repository has not failed.
  ///
  /// - Throws: `CancellationError`, and errors that are not failures of the network.
  func sighting<Record: Sendable & Hashable>(
    in account: DID, _ faults: ReadFaults, _ read: (FriendRecords) async throws -> Record?
  ) async throws -> Lookup<Record> {
    do {
      guard let record = try await read(FriendRecords(try await reader(of: account))) else { return .none }
      return .found(record)
    } catch let error as IdentityError where error.code == .notFound {
      return .none
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      let isRefusal = (error as? RepositoryError)?.code == .refused
      await faults.add(fault, about: [account], isFailure: !isRefusal)
      return .unknown
    }
  }
}
