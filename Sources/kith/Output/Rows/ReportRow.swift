// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

/// The result of a report to moderators, as a row.
struct ReportRow: PrintableRow {
  /// The result.
  enum State: String, Sendable {
    /// A dry run: nothing was sent.
    case planned
    /// Accepted by the service.
    case reported
    /// Sent, with unknown outcome.
    case inDoubt
    /// Not accepted.
    case failed
  }

  let input: String
  let report: Report
  /// The moderation service.
  let service: ServiceReference
  var state = State.planned
  var receipt: ReportReceipt?
  /// Whether the account was blocked as well; nil if not requested.
  var isBlocked: Bool?
  /// Why it failed or is in doubt.
  var reason: String?

  static let fieldNames = [
    "input", "subject", "reason", "to", "state", "id", "reportedBy", "createdAt", "blocked", "error",
  ]
  static let headings = ["SUBJECT", "STATE", "REPORT", "DETAILS"]

  private var subject: String {
    switch report.subject {
    case .account(let account): account.description
    case .record(let uri, _): uri.description
    }
  }

  /// The confirmation question.
  ///
  /// - Parameter name: the name of the reported account, or of the owner of the reported record.
  func question(about name: String) -> String {
    let what =
      switch report.subject {
      case .account: name
      case .record(let uri, _): "\(uri) of \(name)"
      }
    return "Report \(what) as \(report.reason.rawValue)? A report cannot be undone."
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
