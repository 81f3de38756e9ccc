// SPDX-License-Identifier: Apache-2.0

/// Gives an ``XRPCClient`` the tokens that sign its calls.
public protocol CredentialSource: Sendable {
  /// The only service that the tokens are for.
  var service: ServiceURL { get }

  /// A token that should be good for a call now.
  ///
  /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
  func token() async throws -> SessionToken

  /// A token in place of one that the service did not take; the same one where there is no better.
  ///
  /// - Parameter isExpired: whether the service said that the token has expired, rather than refusing it in
  ///   its own words.
  /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
  func token(after refused: SessionToken, isExpired: Bool) async throws -> SessionToken
}
