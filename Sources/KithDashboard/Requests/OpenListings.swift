// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// A listing that pages leaf through: it is read as far as pages were asked for, and a page that is opened again is the same.
actor OpenListing {
  /// A part of the rows.
  struct Page {
    let rows: [AccountViewRow]
    /// Whether there are more.
    let hasNext: Bool
    /// Whether it has more rows than are kept.
    let isCut: Bool
    /// What was said so far.
    let notes: [NoteRecord]
    /// How the listing ended; nil as long as it has more.
    let outcome: ListAccounts.Outcome?
  }

  /// The most rows of a listing: they stay in memory.
  static let mostRows = 200_000

  private let run: StartedRun<ListAccounts>
  private let iterator: RowSequence<AccountViewRow>.Iterator
  private let notes: GatheredNotes
  private let turns = Turns()
  private let wasShown = PosixMutex(false)
  private var rows: [AccountViewRow] = []
  private var outcome: ListAccounts.Outcome?

  init(_ operation: ListAccounts, in workspace: Workspace) {
    notes = GatheredNotes(workspace.time)
    run = workspace.start(operation, note: notes.take)
    iterator = run.rows.makeAsyncIterator()
  }

  /// Reads as far as a page goes.
  ///
  /// - Throws: what the operation throws, and what ended it before its first row.
  func page(from start: Int, most: Int) async throws -> Page {
    let end = start + most
    try await turns.take { try await self.read(until: end + 1) }
    if rows.isEmpty, let error = outcome?.interruption { throw error }
    wasShown.withLock { $0 = true }
    let hasNext = rows.count > end && end < Self.mostRows
    return Page(
      rows: Array(rows.dropFirst(start).prefix(most)), hasNext: hasNext,
      isCut: outcome == nil && rows.count >= Self.mostRows, notes: notes.records,
      outcome: hasNext ? nil : outcome)
  }

  /// Whether one of its pages was shown.
  nonisolated var isShown: Bool { wasShown.withLock(\.self) }

  /// Ends the reading.
  nonisolated func cancel() { run.cancel() }

  private func read(until end: Int) async throws {
    while outcome == nil, rows.count < min(end, Self.mostRows) {
      guard let batch = try await iterator.next(isolation: self) else {
        outcome = try await run.outcome
        return
      }
      rows += batch
    }
  }
}

/// The listings that were opened last.
final class OpenListings: Sendable {
  private struct Kept {
    let key: String
    let listing: OpenListing
    var usedAt: Duration
  }

  private static let most = 4
  /// A listing that was not used for this long is read again.
  private static let lifetime = Duration.seconds(600)

  private let time: TimeSource
  private let kept = PosixMutex<[Kept]>([])

  init(time: TimeSource) { self.time = time }

  /// A listing, which is read again if its first page is asked for.
  ///
  /// - Parameters:
  ///   - key: tells it from others.
  ///   - isNew: whether it is read again in any case.
  func listing(_ key: String, again isNew: Bool, _ make: () -> OpenListing) -> OpenListing {
    kept.withLock { kept in
      let now = time.now
      kept.removeAll { now - $0.usedAt > Self.lifetime }
      // One that is read for the first time is waited for: loading its page again would begin one more reading.
      if isNew, let former = kept.firstIndex(where: { $0.key == key && $0.listing.isShown }) {
        kept.remove(at: former).listing.cancel()
      }
      if let place = kept.firstIndex(where: { $0.key == key }) {
        kept[place].usedAt = now
        return kept[place].listing
      }
      let listing = make()
      if kept.count >= Self.most, let oldest = kept.indices.min(by: { kept[$0].usedAt < kept[$1].usedAt }) {
        kept.remove(at: oldest)
      }
      kept.append(Kept(key: key, listing: listing, usedAt: now))
      return listing
    }
  }
}
