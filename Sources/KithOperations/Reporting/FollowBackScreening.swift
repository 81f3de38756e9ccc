// SPDX-License-Identifier: Apache-2.0

/// Followers that were examined before they are followed back.
public struct FollowBackScreening: Sendable, Hashable {
  /// How many are to be followed.
  public internal(set) var followers = 0
  /// How many were left out because of a block in either direction.
  public internal(set) var blocked = 0
  /// How many were left out because they are muted.
  public internal(set) var muted = 0
  /// How many were left out because the AppView does not show them, or does not say how both are related.
  public internal(set) var unknown = 0
  /// How many were left out because of labels, by the name of the service; labels that accounts give themselves do not count.
  public internal(set) var labelled: [String: Int] = [:]

  public init() {}
}
