// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// An implementation of `HistoryStore` that the contract suites run against.
struct HistoryUnderTest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Creates an empty history.
  let makePlace: @Sendable () -> any HistoryPlace

  static let all = [
    HistoryUnderTest(testDescription: "SQLite", makePlace: { TemporaryStore() }),
    HistoryUnderTest(testDescription: "in memory", makePlace: { MemoryHistory() }),
  ]
}

/// Holds one history for the duration of a test.
protocol HistoryPlace: AnyObject, Sendable {
  /// Opens the history again, as a second process does, or the next one after a crash.
  func openHistory() throws -> any HistoryStore
}

private final class MemoryHistory: HistoryPlace {
  private let store = InMemoryHistoryStore()

  func openHistory() throws -> any HistoryStore { store }
}

extension TemporaryStore: HistoryPlace {
  func openHistory() throws -> any HistoryStore {
    SQLiteHistoryStore(try StoreDatabase(folder: folder, .history))
  }
}

extension HistoryStore {
  /// Takes a full snapshot: accounts that are not included have unfollowed.
  @discardableResult
  func snapshot(
    _ listing: HistoryListing, _ accounts: some Sequence<Int>, at now: Instant,
    _ extent: Snapshot.Coverage = .full, cause: LossCause = .unfollowed
  ) async throws -> Snapshot {
    let writer = try await begin(listing, at: now)
    _ = try await writer.add(accounts.map { HistoryEdge(Accounts.did($0)) })
    if extent == .full {
      let evidence = Evidence([.init(.relationship, .noFollow), .init(.profile, .active)])
      let missing = try await writer.missing(after: nil, most: .max)
      try await writer.lose(missing.map { HistoryLoss($0.account, cause, evidence) })
    }
    return try await writer.finish(extent, Snapshot.Counts(), note: nil, at: now + 10)
  }

  /// Returns the accounts on the listing, read in small pages.
  func accounts(of listing: HistoryListing, at snapshot: ObservationID) async throws -> Set<DID> {
    var found: Set<DID> = []
    var last: DID?
    while true {
      let page = try await edges(of: listing, at: snapshot, after: last, most: 7)
      for edge in page { #expect(found.insert(edge.account).inserted) }
      guard let end = page.last?.account else { return found }
      last = end
    }
  }
}

/// A reader of a stream that follows some listings.
struct TestReader: Sendable {
  let store: any HistoryStore
  let id: StreamReaderID

  /// Follows from the beginning of a stream, or from a time.
  init(_ store: any HistoryStore, _ listings: HistoryListing..., from moment: Instant = .epoch) async throws {
    self.store = store
    id = try await store.follow(listings, from: StreamCursor(host: "jetstream", sequence: 0, at: moment))
  }

  /// Continues to read, as another process does after a crash.
  init(_ store: any HistoryStore, _ id: StreamReaderID) { (self.store, self.id) = (store, id) }

  /// Observes a batch.
  @discardableResult
  func tell(_ events: HistoryEvent...) async throws -> ObservedEvents { try await tell(events) }

  @discardableResult
  func tell(_ events: [HistoryEvent]) async throws -> ObservedEvents {
    let last = events.last?.at ?? .epoch
    let cursor = StreamCursor(host: "jetstream", sequence: last.microsecondsSinceEpoch, at: last)
    return try await store.observe(events, upTo: cursor, by: id)
  }
}

extension HistoryEvent {
  static func made(
    _ account: Int, _ key: Int, at moment: Instant, on listing: HistoryListing = .followers
  ) -> HistoryEvent {
    HistoryEvent(.made(Accounts.did(account), RecordKey(number: key), on: listing), at: moment)
  }

  static func deleted(
    _ key: Int, by account: Int, at moment: Instant, in collection: NSID = .follow
  )
    -> HistoryEvent
  {
    HistoryEvent(.deleted(RecordKey(number: key), in: collection, by: Accounts.did(account)), at: moment)
  }

  static func hidden(_ account: Int, _ cause: LossCause, at moment: Instant) -> HistoryEvent {
    HistoryEvent(.hidden(Accounts.did(account), cause), at: moment)
  }

  static func shown(_ account: Int, at moment: Instant) -> HistoryEvent {
    HistoryEvent(.shown(Accounts.did(account)), at: moment)
  }

  static func blocked(_ account: Int, _ cause: LossCause, at moment: Instant) -> HistoryEvent {
    HistoryEvent(.blocked(Accounts.did(account), cause, from: .followers), at: moment)
  }

  static func unblocked(_ account: Int, _ cause: LossCause, at moment: Instant) -> HistoryEvent {
    HistoryEvent(.unblocked(Accounts.did(account), cause, from: .followers), at: moment)
  }

  static func purged(_ account: Int, at moment: Instant) -> HistoryEvent {
    HistoryEvent(.purged(Accounts.did(account)), at: moment)
  }

  static func lost(_ account: Int, _ cause: LossCause, at moment: Instant) -> HistoryEvent {
    let evidence = Evidence([.init(.records, .noRecord)])
    return HistoryEvent(
      .lost(HistoryLoss(Accounts.did(account), cause, evidence), from: .followers), at: moment)
  }
}

extension RecordKey {
  /// The TID of a time.
  init(number: Int) { self.init(tid: TID(at: Instant(number), clockID: 0)) }
}

extension HistoryListing {
  static let followers = HistoryListing(.followers, of: Accounts.did(0))
  static let follows = HistoryListing(.follows, of: Accounts.did(0))
}

func dids(_ numbers: some Sequence<Int>) -> Set<DID> { Set(numbers.map(Accounts.did)) }
