// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Where sessions are kept, so that an account signs in once and not with each run (Q25).
///
/// What is kept are secrets: an implementation lets nobody else read them, and writes whole or not at all.
public protocol SessionStore: Sendable {
  /// The session of an account; nil where none is kept.
  ///
  /// - Throws: ``SessionError``.
  func session(of account: DID) async throws -> Session?

  /// Keeps a session in place of the account's older one. Called under ``withExclusiveAccess(to:_:)``.
  ///
  /// - Throws: ``SessionError``; the older one is still there then.
  func save(_ session: Session) async throws

  /// Forgets the session of an account, if there is one. Called under ``withExclusiveAccess(to:_:)``.
  ///
  /// - Throws: ``SessionError``.
  func remove(_ account: DID) async throws

  /// The accounts of which sessions are kept, in a lasting order.
  ///
  /// - Throws: ``SessionError``.
  func accounts() async throws -> [DID]

  /// The account that acts where none is named.
  ///
  /// - Throws: ``SessionError``.
  func current() async throws -> DID?

  /// Chooses the account that acts where none is named.
  ///
  /// - Throws: ``SessionError``.
  func setCurrent(_ account: DID) async throws

  /// Forgets which account acts where none is named, if it is this one.
  ///
  /// - Throws: ``SessionError``.
  func clearCurrent(ifIs account: DID) async throws

  /// Does something while nobody else, in this process or another, does so with the same account.
  ///
  /// - Throws: what the body throws; ``SessionError/Code/locked`` where others hold on for too long.
  func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value
}
