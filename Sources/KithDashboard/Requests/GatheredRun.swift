// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// What a run has said: for an answer that is sent as a whole.
struct GatheredRun<Operation: KithOperation> {
  /// The first rows.
  let rows: [Operation.Row]
  let notes: [NoteRecord]
  /// Whether there were more rows.
  let isCut: Bool
  let outcome: Operation.Outcome
  /// What was declined; nil if nothing was asked, or the answer was yes.
  let question: Question?

  private struct Enough: Error {}

  private struct Said {
    var rows: [Operation.Row] = []
    var notes: [NoteRecord] = []
    var question: Question?
    var isCut = false
  }

  /// The most notes that are kept: one for each bad name may come.
  private static var mostNotes: Int { 100 }

  /// Runs an operation.
  ///
  /// - Parameters:
  ///   - most: the most rows that are kept.
  ///   - isEnded: whether a run that has more is ended; one that changes something is not.
  ///   - isConfirmed: the answer to questions.
  /// - Throws: what the operation throws, and what ended it before its first row: nothing was learned then.
  init(
    _ operation: Operation, in workspace: Workspace, most: Int, endingThere isEnded: Bool = true,
    confirmed isConfirmed: Bool = false
  ) async throws {
    let said = PosixMutex(Said())
    let reporter = Reporter<Operation.Row>(
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
      note: { note in
        let record = note.record(at: workspace.time.instant)
        said.withLock { if $0.notes.count < Self.mostNotes { $0.notes.append(record) } }
      },
      ask: { question in
        if !isConfirmed { said.withLock { $0.question = question } }
        return isConfirmed
      })
    outcome = try await workspace.run(operation, reporter).outcome
    (rows, notes, question, isCut) = said.withLock { ($0.rows, $0.notes, $0.question, $0.isCut) }
    if rows.isEmpty, let error = outcome.interruption { throw error }
  }
}
