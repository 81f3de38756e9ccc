// SPDX-License-Identifier: Apache-2.0

internal import ATProtoLexicons

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
