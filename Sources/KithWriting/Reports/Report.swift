// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons

/// A report to a moderation service.
public struct Report: Sendable, Hashable {
  /// The subject of a report.
  public enum Subject: Sendable, Hashable {
    /// An account as a whole.
    case account(DID)
    /// One record, in the version with this CID.
    case record(ATURI, CID)
  }

  /// The subject of the report.
  public var subject: Subject
  /// The reason.
  public var reason: ReportReason
  /// More details for the moderators: at most 2,000 graphemes.
  public var text: String?

  /// Creates a report.
  public init(_ subject: Subject, reason: ReportReason, text: String? = nil) {
    self.subject = subject
    self.reason = reason
    self.text = text
  }
}

/// The reason for a report.
public enum ReportReason: String, Sendable, Hashable, CaseIterable {
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
public struct ReportReceipt: Sendable, Hashable {
  /// The report's number at the service.
  public let id: Int
  /// The reporting account.
  public let reportedBy: DID
  /// When, by the service's clock.
  public let createdAt: Datetime
}
