// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

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
