// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An actor that is watched: regular snapshots are taken of it.
public struct WatchedActor: Sendable, Hashable {
  public let actor: DID
  public let since: Instant

  /// Creates a watched actor.
  public init(_ actor: DID, since: Instant) {
    self.actor = actor
    self.since = since
  }
}

/// Stores which actors are watched.
public protocol WatchStore: Sendable {
  /// Watches an actor; returns false if it is already watched.
  @discardableResult
  func watch(_ actor: DID, at now: Instant) async throws -> Bool

  /// Stops watching an actor; returns false if it was not watched.
  @discardableResult
  func unwatch(_ actor: DID) async throws -> Bool

  /// The watched actors, in the order in which they were added.
  func watched() async throws -> [WatchedActor]
}
