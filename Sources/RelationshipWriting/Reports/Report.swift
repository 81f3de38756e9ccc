// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

/// A complaint to a moderation service.
public struct Report: Sendable, Hashable {
  /// What is complained about.
  public enum Subject: Sendable, Hashable {
    /// An account as a whole.
    case account(DID)
    /// One record, in the version of that CID.
    case record(ATURI, CID)
  }

  /// What is complained about.
  public var subject: Subject
  /// What for.
  public var reason: ReportReason
  /// More about it, for the moderators: at most 2,000 graphemes.
  public var text: String?

  /// Puts a complaint together.
  public init(_ subject: Subject, reason: ReportReason, text: String? = nil) {
    self.subject = subject
    self.reason = reason
    self.text = text
  }
}

/// What somebody complains about.
public enum ReportReason: String, Sendable, Hashable, CaseIterable {
  /// Unwanted replies, mentions, messages.
  case spam
  /// Breaks the law or the terms of service.
  case violation
  /// Passes for somebody else, or tells what is not so.
  case misleading
  /// Nudity or sexual content that is not labelled.
  case sexual
  /// Harassment, insults.
  case rude
  /// What the text says.
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

/// What a moderation service has written down.
public struct ReportReceipt: Sendable, Hashable {
  /// The service's number of the report.
  public let id: Int
  /// In whose name.
  public let reportedBy: DID
  /// When, by the service's clock.
  public let createdAt: Datetime
}
