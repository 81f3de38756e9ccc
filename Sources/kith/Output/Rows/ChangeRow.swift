// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithWriting

/// The result of one requested change, as a row.
struct ChangeRow: PrintableRow {
  /// The result.
  enum State: String, Sendable {
    /// A dry run: nothing was sent.
    case planned
    /// Done, confirmed by the server.
    case done
    /// Already true; nothing was sent.
    case unchanged
    /// Not attempted, for a reason in the request.
    case refused
    /// Refused by the server.
    case failed
    /// The account does not exist.
    case notFound
    /// A required lookup failed.
    case error
    /// Not sent yet: the job is waiting.
    case pending
    /// Sent, with unknown outcome; resuming the job checks it.
    case inDoubt
    /// Cancelled before it was sent.
    case cancelled
    /// Done, and undone since then.
    case undone
  }

  let verb: String
  let input: String
  /// The subject: a DID or an AT-URI.
  var subject: String?
  var state: State
  /// The steps of the change.
  var steps: [ChangeStep] = []
  var account: DID
  var notes: [ChangeNote] = []
  var job: JobID?
  /// Why it was not done.
  var reason: String?

  static let fieldNames = ["verb", "input", "subject", "state", "writes", "notes", "job", "error"]
  static let headings = ["ACCOUNT", "STATE", "DETAILS"]

  func write(to fields: inout RowEncoder) {
    fields.text(verb)
    fields.text(input)
    fields.text(subject)
    fields.text(state.rawValue)
    fields.value(.array(steps.flatMap { $0.outputs(in: account) }))
    fields.value(.array(notes.map { .string($0.sentence) }))
    fields.number(job.map { Int($0.number) })
    fields.text(reason)
  }

  var tableRow: TableRow {
    let colour: Palette.Colour? =
      switch state {
      case .done: .good
      case .failed, .refused, .error, .notFound, .inDoubt: .bad
      case .unchanged, .pending, .cancelled, .undone: .faint
      case .planned: nil
      }
    let words = [reason].compactMap(\.self) + plannedWrites + notes.map(\.sentence)
    return TableRow(cells: [
      TableRow.Cell(input), TableRow.Cell(Self.words[state] ?? state.rawValue, colour),
      TableRow.Cell(words.joined(separator: "; ")),
    ])
  }

  private static let words: [State: String] = [.notFound: "not found", .inDoubt: "in doubt"]

  /// The writes, which are only shown in a dry run.
  private var plannedWrites: [String] {
    state == .planned ? steps.flatMap { $0.summary(in: account) } : []
  }
}
