// SPDX-License-Identifier: Apache-2.0

/// Provides the tokens that authorize the calls of an ``XRPCClient``.
public protocol CredentialSource: Sendable {
  /// The only service that the tokens are for.
  var service: ServiceURL { get }

  /// Returns a token that should be valid for a call now.
  ///
  /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
  func token() async throws -> SessionToken

  /// Returns a token to replace one that the service refused; the same one if there is none better.
  ///
  /// - Parameter isExpired: Whether the service reported that the token has expired, rather than refusing it
  ///   in other words.
  /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
  func token(after refused: SessionToken, isExpired: Bool) async throws -> SessionToken
}
