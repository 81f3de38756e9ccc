// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// What a run has said: for an answer that is sent as a whole.
struct GatheredRun<Row: Sendable, Outcome: OperationOutcome>: Sendable {
  /// The first rows.
  let rows: [Row]
  let notes: [NoteRecord]
  /// Whether there were more rows.
  let isCut: Bool
  let outcome: Outcome

  private struct Enough: Error {}

  private struct Said {
    var rows: [Row] = []
    var isCut = false
  }

  /// Runs an operation, which has to go on without an answer to its questions.
  ///
  /// - Parameters:
  ///   - most: the most rows that are kept.
  ///   - isEnded: whether a run that has more is ended; one that changes something is not.
  ///   - isFailing: whether what ended it before its first row is thrown; else the outcome says it.
  ///   - progress: is told how far the run has come; nil if that is not shown.
  /// - Throws: what the operation throws, and what ended it before its first row: nothing was learned then.
  init<Operation: KithOperation>(
    _ operation: Operation, in workspace: Workspace, most: Int, endingThere isEnded: Bool = true,
    failingEmpty isFailing: Bool = true, progress: (@Sendable (RunProgress) -> Void)? = nil
  ) async throws where Operation.Row == Row, Operation.Outcome == Outcome {
    let (said, gathered) = (PosixMutex(Said()), GatheredNotes(workspace.time))
    let reporter = Reporter<Row>(
      rows: { rows in
        let isFull = said.withLock { said in
          let room = most - said.rows.count
          said.rows += rows.prefix(room)
          if rows.count > room { said.isCut = true }
          return room == 0
        }
        // Not within a batch: an operation that has only one would fail.
        if isFull, isEnded { throw Enough() }
      },
      note: gathered.take, progress: progress)
    outcome = try await workspace.run(operation, reporter).outcome
    (rows, isCut) = said.withLock { ($0.rows, $0.isCut) }
    notes = gathered.records
    if isFailing, rows.isEmpty, let error = outcome.interruption { throw error }
  }
}

/// The first notes of a run: one for each bad name may come.
final class GatheredNotes: Sendable {
  private static let most = 100

  private let time: TimeSource
  private let kept = PosixMutex<[NoteRecord]>([])

  init(_ time: TimeSource) { self.time = time }

  var records: [NoteRecord] { kept.withLock(\.self) }

  @Sendable func take(_ note: Note) {
    let record = note.record(at: time.instant)
    kept.withLock { if $0.count < Self.most { $0.append(record) } }
  }
}
