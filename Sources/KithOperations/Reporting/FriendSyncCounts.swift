// SPDX-License-Identifier: Apache-2.0

/// What became of friend requests.
public struct FriendSyncCounts: Sendable, Hashable {
  /// How many follows were allowed.
  public internal(set) var allowed = 0
  /// How many follows were allowed and are not written, because that was done before, or the account has unfollowed or
  /// blocked the other one since.
  public internal(set) var settled = 0
  /// How many requests have ended.
  public internal(set) var ended = 0
  /// How many requests have ended by this machine's clock only, so they stay.
  public internal(set) var early = 0
  /// How many acceptances are of requests that are withdrawn.
  public internal(set) var withdrawn = 0
  /// How many requests are still open.
  public internal(set) var open = 0
  /// Of how many requests it could not be found out what became of them.
  public internal(set) var unknown = 0

  public init() {}
}
