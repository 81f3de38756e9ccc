// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore
public import KithWriting

/// The result of a report to moderators.
public struct ReportRow: OperationRow {
  /// The result.
  public enum State: String, Sendable {
    /// A dry run: nothing was sent.
    case planned
    /// Accepted by the service.
    case reported
    /// Sent, with unknown outcome.
    case inDoubt
    /// Not accepted.
    case failed
  }

  public let input: String
  public let report: Report
  /// The moderation service.
  public let service: ServiceReference
  public var state = State.planned
  public var receipt: ReportReceipt?
  /// Whether the account was blocked as well; nil if not requested.
  public var isBlocked: Bool?
  /// Why it failed or is in doubt.
  public var reason: String?

  /// Fields: input, subject (DID or AT-URI), reason, to (the moderation service), state (a ``State``), id (the number
  /// that the service gave), reportedBy, createdAt, blocked, error.
  public static let fieldNames = [
    "input", "subject", "reason", "to", "state", "id", "reportedBy", "createdAt", "blocked", "error",
  ]

  public init(input: String, report: Report, service: ServiceReference) {
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

  public func write(to fields: inout RowEncoder) {
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
