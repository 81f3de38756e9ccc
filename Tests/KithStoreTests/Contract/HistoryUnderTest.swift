// SPDX-License-Identifier: Apache-2.0

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

extension HistoryListing {
  static let followers = HistoryListing(.followers, of: Accounts.did(0))
  static let follows = HistoryListing(.follows, of: Accounts.did(0))
}

func dids(_ numbers: some Sequence<Int>) -> Set<DID> { Set(numbers.map(Accounts.did)) }
