// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Stores sessions, so that an account signs in once and not with each run (Q25).
///
/// Sessions are secret: an implementation must not let other users read them, and must write atomically.
public protocol SessionStore: Sendable {
  /// Returns the session of an account; nil if there is none.
  ///
  /// - Throws: ``SessionError``.
  func session(of account: DID) async throws -> Session?

  /// Stores a session, replacing the account's older one. Called under ``withExclusiveAccess(to:_:)``.
  ///
  /// - Throws: ``SessionError``; the older session is then still there.
  func save(_ session: Session) async throws

  /// Removes the session of an account, if there is one. Called under ``withExclusiveAccess(to:_:)``.
  ///
  /// - Throws: ``SessionError``.
  func remove(_ account: DID) async throws

  /// Returns the accounts with stored sessions, in a stable order.
  ///
  /// - Throws: ``SessionError``.
  func accounts() async throws -> [DID]

  /// Returns the current account, which is used if none is named.
  ///
  /// - Throws: ``SessionError``.
  func current() async throws -> DID?

  /// Sets the current account, which is used if none is named.
  ///
  /// - Throws: ``SessionError``.
  func setCurrent(_ account: DID) async throws

  /// Clears the current account if it is this one.
  ///
  /// - Throws: ``SessionError``.
  func clearCurrent(ifIs account: DID) async throws

  /// Runs the closure while no other caller, in this process or another, does so for the same account.
  ///
  /// - Throws: What the closure throws; ``SessionError/Code/locked`` if the lock is held for too long.
  func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value
}
