// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The journal failed before a change was recorded, so nothing was sent.
public struct UnrecordedChangeError: Error {
  /// What the journal reported.
  public let underlying: any CodedError

  public init(_ underlying: any CodedError) { self.underlying = underlying }

  /// Wraps an error of the journal; returns any other error unchanged.
  public static func wrapping(_ error: any Error) -> any Error {
    guard FailureKind(error) == nil, let error = error as? any CodedError else { return error }
    return UnrecordedChangeError(error)
  }
}
