// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
import KithRelationships

/// Counts the followers of an account in each segment, and stores the counts.
///
/// A count is not stored if some followers cannot be decided.
public struct CountSegments: KithOperation {
  public static let name = "countSegments"

  /// The account whose followers are counted.
  public var actor: DID
  /// Only these segments; empty for all.
  public var names: [String]

  public init(of actor: DID, only names: [String] = []) {
    self.actor = actor
    self.names = names
  }

  /// How a run ended.
  public struct Outcome: OutcomeOfRows {
    /// The number of segments to count.
    public let segments: Int
    /// The most severe kind of the errors because of which followers are undecided; nil if nothing failed.
    public fileprivate(set) var failure: FailureKind?
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    public var ending: Ending { Ending(rows, failure: failure) }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "segments": .integer(segments),
      ])
    }
  }

  /// The followers in a segment.
  private struct Count {
    var members = 0
    var undecided = 0
    /// Why they are undecided.
    var fault: (any Error)?
  }

  /// - Throws: ``OperationError`` `noSuchSegment`.
  public func run(in workspace: Workspace, _ report: Reporter<SegmentRow>) async throws -> Outcome {
    let store = try workspace.history()
    let segments = try await wanted(store)
    let progress = ReadingProgress(report)
    var outcome = Outcome(segments: segments.count)
    outcome.rows = await report.deliver { rows in
      for segment in segments {
        let before = try await store.counts(of: segment.name, for: actor).last
        let found = try await count(segment, workspace, progress)
        if found.undecided > 0 {
          report.note(.segmentUndecided(segment.name, found.undecided))
          if let fault = found.fault {
            outcome.failure = (FailureKind(fault) ?? .unavailable).orMoreSevere(outcome.failure)
          }
          continue
        }
        let count = Sample<Int>(at: workspace.time.instant, found.members)
        try await store.record(count, of: segment.name, for: actor)
        try await rows.append(SegmentRow(segment: segment, last: count, before: before))
        try await rows.flush()
      }
    }
    return outcome
  }

  private func wanted(_ store: any HistoryStore) async throws -> [Segment] {
    let segments = try await store.segments()
    for name in names where !segments.contains(where: { $0.name == name }) {
      throw OperationError.noSuchSegment(name, known: segments.map(\.name))
    }
    return names.isEmpty ? segments : segments.filter { names.contains($0.name) }
  }

  private func count(
    _ segment: Segment, _ workspace: Workspace, _ progress: ReadingProgress
  ) async throws -> Count {
    let predicate = try AccountPredicate(
      checking: segment.predicate, now: Datetime(at: workspace.time.instant),
      segments: try await workspace.segments(namedIn: ["segment"]))
    let query = ListingQuery(.followers(of: .did(actor)), where: predicate)
    var accounts = try await workspace.accounts(query).makeAsyncIterator()
    var count = Count()
    while try await accounts.next() != nil {
      count.members += 1
      progress.advance()
    }
    (count.undecided, count.fault) = (accounts.coverage.undecided, accounts.coverage.fault)
    return count
  }
}
