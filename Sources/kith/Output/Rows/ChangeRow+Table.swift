// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension ChangeRow: PrintableRow {
  /// What help says about the rows of a change.
  static let help = """
    Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
    error, pending, inDoubt, cancelled), writes, notes, job, error, until (when it is undone), graph (of a follow). \(PlanRow.help)
    """

  static let headings = ["ACCOUNT", "STATE", "DETAILS"]

  func tableRow(at now: Datetime) -> TableRow {
    let colour: Palette.Colour? =
      switch state {
      case .done: .good
      case .failed, .refused, .error, .notFound, .inDoubt: .bad
      case .unchanged, .pending, .cancelled, .undone: .faint
      case .planned: nil
      }
    let end = until.map {
      "\($0.instant > now.instant ? "ends" : "ended") \(RelativeTimeText.relative($0, to: now))"
    }
    let app = graph.flatMap { $0 == .bluesky ? nil : "in \($0.name)" }
    let words =
      [app, reason?.text, newPage].compactMap(\.self) + plannedWrites + [end].compactMap(\.self)
      + notes.map(\.description)
    return TableRow(cells: [
      TableRow.Cell(name ?? input, whole: true), TableRow.Cell(Self.words[state] ?? state.rawValue, colour),
      TableRow.Cell(words.joined(separator: "; ")),
    ])
  }

  var unnamed: [DID] { DID(input).map { [$0] } ?? [] }

  func named(by known: [DID: AccountView]) -> ChangeRow {
    guard let account = DID(input), let view = known[account] else { return self }
    var row = self
    row.name = account.name(in: view)
    return row
  }

  /// The page of a post that it has published.
  private var newPage: String? {
    guard state == .done, case .newPosts? = steps.first?.subject else { return nil }
    return subject.flatMap { ATURI($0) }?.postPage
  }

  private static let words: [State: String] = [.notFound: "not found", .inDoubt: "in doubt"]

  /// The writes, which are only shown in a dry run, and for a job.
  private var plannedWrites: [String] {
    state == .planned || isRetrospective ? steps.flatMap { $0.summary(in: account) } : []
  }
}

extension ChangeRow {
  /// The same row, whose texts say what to type.
  var withHints: ChangeRow {
    var row = self
    row.reason = reason.map { .item($0.words) }
    row.notes = notes.map { ChangeNote($0.code, $0.sentence, job: $0.job) }
    return row
  }
}

extension ChangeRow.Reason {
  /// The phrase, with a hint if the command knows one.
  var words: String {
    switch self {
    case .refused(let refusal): refusal.sentence
    case .unusable(let error): Message(any: error).text
    case .item(let text): text
    }
  }
}
