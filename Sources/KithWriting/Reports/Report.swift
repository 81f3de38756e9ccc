// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

/// A report to a moderation service.
package struct Report: Sendable, Hashable {
  /// The subject of a report.
  package enum Subject: Sendable, Hashable {
    /// An account as a whole.
    case account(DID)
    /// One record, in the version with this CID.
    case record(ATURI, CID)
  }

  /// The subject of the report.
  package var subject: Subject
  /// The reason.
  package var reason: ReportReason
  /// More details for the moderators: at most 2,000 graphemes.
  package var text: String?

  /// Creates a report.
  package init(_ subject: Subject, reason: ReportReason, text: String? = nil) {
    self.subject = subject
    self.reason = reason
    self.text = text
  }
}

/// The reason for a report.
package enum ReportReason: String, Sendable, Hashable, CaseIterable {
  /// Unwanted replies, mentions, messages.
  case spam
  /// Breaks the law or the terms of service.
  case violation
  /// Impersonation, or misleading claims.
  case misleading
  /// Nudity or sexual content that is not labelled.
  case sexual
  /// Harassment, insults.
  case rude
  /// Something else, as described in the text.
  case other

  var type: Com.Atproto.Moderation.Defs.ReasonType {
    switch self {
    case .spam: .reasonSpam
    case .violation: .reasonViolation
    case .misleading: .reasonMisleading
    case .sexual: .reasonSexual
    case .rude: .reasonRude
    case .other: .reasonOther
    }
  }
}

/// The confirmation of a report by a moderation service.
package struct ReportReceipt: Sendable, Hashable {
  /// The report's number at the service.
  package let id: Int
  /// The reporting account.
  package let reportedBy: DID
  /// When, by the service's clock.
  package let createdAt: Datetime
}
