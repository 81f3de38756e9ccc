// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The journal failed before a change was recorded, so nothing was sent.
public struct UnrecordedChangeError: CodedError {
  public static let domain = "journal"

  /// What the journal reported.
  public let journalError: any CodedError

  public init(_ journalError: any CodedError) { self.journalError = journalError }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// The change was not recorded.
    public static let unrecorded = Code(description: "unrecorded")
  }

  public var code: Code { .unrecorded }
  /// The subject of the journal's error.
  public var subject: String { journalError.subject }
  public var detail: String { "\(journalError.detail); nothing was changed" }
  public var retryAfter: Duration? { journalError.retryAfter }
  /// What the journal reported.
  public var underlying: (any Error)? { journalError }
  public var errorDescription: String? { "The change could not be recorded, so nothing was changed." }

  /// Wraps an error of the journal; returns any other error unchanged.
  public static func wrapping(_ error: any Error) -> any Error {
    guard FailureKind(error) == nil, let error = error.withCodeInOutput else { return error }
    return UnrecordedChangeError(error)
  }
}
