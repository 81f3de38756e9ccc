// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// An actor that is watched: regular snapshots are taken of it.
package struct WatchedActor: Sendable, Hashable {
  package let actor: DID
  package let since: Instant

  /// Creates a watched actor.
  package init(_ actor: DID, since: Instant) {
    self.actor = actor
    self.since = since
  }
}

/// Stores which actors are watched.
package protocol WatchStore: Sendable {
  /// Watches an actor; returns false if it is already watched.
  @discardableResult
  func watch(_ actor: DID, at now: Instant) async throws -> Bool

  /// Stops watching an actor; returns false if it was not watched.
  @discardableResult
  func unwatch(_ actor: DID) async throws -> Bool

  /// The watched actors, in the order in which they were added.
  func watched() async throws -> [WatchedActor]
}
