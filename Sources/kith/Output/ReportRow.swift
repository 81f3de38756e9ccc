// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipWriting

/// What became of a report, as it is printed.
struct ReportRow: PrintableRow {
  /// What became of it.
  enum State: String, Sendable {
    /// Would be sent; nothing was.
    case planned
    /// The service has it.
    case reported
    /// Sent, and no certain answer came.
    case inDoubt
    /// Certainly not taken.
    case failed
  }

  let input: String
  let report: Report
  /// Who moderates.
  let service: ServiceReference
  var state = State.planned
  var receipt: ReportReceipt?
  /// Whether the account is blocked as well; nil where that was not asked for.
  var isBlocked: Bool?
  /// Why it was not taken, or is not known to be.
  var reason: String?

  static let fieldNames = [
    "input", "subject", "reason", "to", "state", "id", "reportedBy", "createdAt", "blocked", "error",
  ]
  static let headings = ["SUBJECT", "STATE", "REPORT", "WHAT"]

  private var subject: String {
    switch report.subject {
    case .account(let account): account.description
    case .record(let uri, _): uri.description
    }
  }

  /// Asks whether it is to be sent.
  ///
  /// - Parameter name: of the account that is reported, or whose record is.
  func question(about name: String) -> String {
    let what =
      switch report.subject {
      case .account: name
      case .record(let uri, _): "\(uri) of \(name)"
      }
    return "Report \(what) as \(report.reason.rawValue)? A report cannot be taken back."
  }

  func write(to fields: inout RowEncoder) {
    fields.text(input)
    fields.text(subject)
    fields.text(report.reason.rawValue)
    fields.text(service.description)
    fields.text(state.rawValue)
    fields.number(receipt?.id)
    fields.text(receipt?.reportedBy.description)
    fields.text(receipt?.createdAt.description)
    fields.flag(isBlocked)
    fields.text(reason)
  }

  var tableRow: TableRow {
    let words: (String, Palette.Colour?) =
      switch state {
      case .planned: ("planned", nil)
      case .reported: ("reported", .good)
      case .inDoubt: ("in doubt", .bad)
      case .failed: ("failed", .bad)
      }
    return TableRow(cells: [
      TableRow.Cell(input), TableRow.Cell(words.0, words.1),
      TableRow.Cell(receipt.map { String($0.id) } ?? ""),
      TableRow.Cell(reason ?? "\(report.reason.rawValue), to \(service)"),
    ])
  }
}
