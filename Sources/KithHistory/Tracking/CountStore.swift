// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// The counts of a profile at one time.
public struct CountSample: Sendable, Hashable {
  public let at: Instant
  public let value: AccountView.Counts
  /// Whether the AppView that gave the counts is known to lack follows that exist: a snapshot of that time kept accounts
  /// that the AppView no longer showed. The number is then not that of the followers.
  public let isDoubted: Bool

  /// Creates a sample.
  public init(at: Instant, _ value: AccountView.Counts, isDoubted: Bool = false) {
    self.at = at
    self.value = value
    self.isDoubted = isDoubted
  }
}

/// Stores the counts of profiles over time.
public protocol CountStore: Sendable {
  /// Stores the counts of a profile; replaces those of the same time.
  func record(_ counts: CountSample, of actor: DID) async throws

  /// The counts of an actor's profile in the order in which they were recorded; where a clock was wrong, that is not the
  /// order of their times.
  func counts(of actor: DID, since: Instant) async throws -> [CountSample]
}

extension CountStore {
  /// The counts of an actor's profile, oldest first, without those whose time cannot be right.
  ///
  /// A clock that was wrong makes a later count the earlier one. The times of the most counts that agree with their order
  /// are believed.
  /// - Parameter now: a later time is wrong.
  public func countsInOrder(of actor: DID, until now: Instant) async throws -> [CountSample] {
    let all = try await counts(of: actor, since: .distantPast)
    return all.map(\.at).longestOrder(until: now).map { all[$0] }
  }
}
