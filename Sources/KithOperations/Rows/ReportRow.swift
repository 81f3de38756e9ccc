// SPDX-License-Identifier: Apache-2.0

package import KithClient
import KithCore
package import KithWriting

/// The result of a report to moderators.
package struct ReportRow: OperationRow {
  /// The result.
  package enum State: String, Sendable {
    /// A dry run: nothing was sent.
    case planned
    /// Accepted by the service.
    case reported
    /// Sent, with unknown outcome.
    case inDoubt
    /// Not accepted.
    case failed
  }

  package let input: String
  package let report: Report
  /// The moderation service.
  package let service: ServiceReference
  package var state = State.planned
  package var receipt: ReportReceipt?
  /// Whether the account was blocked as well; nil if not requested.
  package var isBlocked: Bool?
  /// Why it failed or is in doubt.
  package var reason: String?

  /// Fields: input, subject (DID or AT-URI), reason, to (the moderation service), state (a ``State``), id (the number
  /// that the service gave), reportedBy, createdAt, blocked, error.
  package static let fieldNames = [
    "input", "subject", "reason", "to", "state", "id", "reportedBy", "createdAt", "blocked", "error",
  ]

  package init(input: String, report: Report, service: ServiceReference) {
    self.input = input
    self.report = report
    self.service = service
  }

  private var subject: String {
    switch report.subject {
    case .account(let account): account.description
    case .record(let uri, _): uri.description
    }
  }

  package func write(to fields: inout RowEncoder) {
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
}
