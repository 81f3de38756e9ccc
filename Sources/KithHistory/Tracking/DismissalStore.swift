// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An account that someone does not want to be suggested again.
public struct Dismissal: Sendable, Hashable {
  public let account: DID
  public let since: Instant

  /// Creates a dismissal.
  public init(_ account: DID, since: Instant) {
    self.account = account
    self.since = since
  }
}

/// Stores the suggestions that each account has dismissed.
public protocol DismissalStore: Sendable {
  /// Dismisses accounts; returns how many were not dismissed before.
  @discardableResult
  func dismiss(_ accounts: [DID], by actor: DID, at now: Instant) async throws -> Int

  /// Takes dismissals back; returns how many there were.
  @discardableResult
  func takeBack(dismissalsOf accounts: [DID], by actor: DID) async throws -> Int

  /// What an actor has dismissed, the latest first.
  func dismissals(by actor: DID) async throws -> [Dismissal]
}
