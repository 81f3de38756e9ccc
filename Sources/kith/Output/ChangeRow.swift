// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting

/// What became of one request, as it is printed.
struct ChangeRow: PrintableRow {
  /// What became of it.
  enum State: String, Sendable {
    /// Would be done; nothing was sent.
    case planned
    /// Done: the server has said so.
    case done
    /// It held already, and nothing was sent.
    case unchanged
    /// Not tried, for a reason that lies in the request.
    case refused
    /// The server refuses it.
    case failed
    /// Nobody has that name.
    case notFound
    /// What has to be known first was not learned.
    case error
    /// Nothing was sent yet: the job waits.
    case pending
    /// Sent, and the outcome not known yet: the job finds out.
    case inDoubt
    /// Given up before it was sent.
    case cancelled
    /// Done, and taken back since then.
    case undone
  }

  let verb: String
  let input: String
  /// Whom or what it is about: a DID or an AT-URI.
  var subject: String?
  var state: State
  /// The steps that it takes.
  var steps: [ChangeStep] = []
  var account: DID
  var notes: [ChangeNote] = []
  var job: JobID?
  /// Why it was not done.
  var reason: String?

  static let fieldNames = ["verb", "input", "subject", "state", "writes", "notes", "job", "error"]
  static let headings = ["ACTOR", "STATE", "WHAT"]

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

  /// What a person wants to see before it is sent, and no more afterwards.
  private var plannedWrites: [String] {
    state == .planned ? steps.flatMap { $0.summary(in: account) } : []
  }
}
