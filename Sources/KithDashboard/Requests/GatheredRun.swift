// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// What a run has said: for an answer that is sent as a whole.
struct GatheredRun<Operation: KithOperation> {
  /// The first rows.
  let rows: [Operation.Row]
  let notes: [NoteRecord]
  /// It was closed if there were more rows than are wanted.
  let outcome: Operation.Outcome
  /// What was declined; nil if nothing was asked, or the answer was yes.
  let question: Question?

  private struct Enough: Error {}

  private struct Said {
    var rows: [Operation.Row] = []
    var notes: [NoteRecord] = []
    var question: Question?
  }

  /// The most notes that are kept: one for each bad name may come.
  private static var mostNotes: Int { 100 }

  /// Runs an operation.
  ///
  /// - Parameters:
  ///   - most: the most rows.
  ///   - isConfirmed: the answer to questions.
  /// - Throws: what the operation throws, and what ended it before its first row: nothing was learned then.
  init(
    _ operation: Operation, in workspace: Workspace, most: Int, confirmed isConfirmed: Bool = false
  ) async throws {
    let said = PosixMutex(Said())
    let reporter = Reporter<Operation.Row>(
      rows: { rows in
        let fit = said.withLock { said in
          let room = most - said.rows.count
          said.rows += rows.prefix(room)
          return rows.count <= room
        }
        if !fit { throw Enough() }
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
    (rows, notes, question) = said.withLock { ($0.rows, $0.notes, $0.question) }
    if rows.isEmpty, let error = outcome.interruption { throw error }
  }
}
