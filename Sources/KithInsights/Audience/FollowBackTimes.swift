// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// How long followed accounts take to follow back.
///
/// Based on the dates of the records, which are claimed by their authors. An account that followed back and
/// left again counts as not following back.
public struct FollowBackTimes: Sendable, Hashable {
  /// Accounts that were followed first and follow back.
  public let count: Int
  /// Accounts that were followed but do not follow back.
  public let waiting: Int
  /// Accounts that had followed first.
  public let followedFirst: Int
  /// Accounts that follow back, in an unknown order.
  public let undated: Int
  /// The quartiles of the delays in seconds; nil if there are none.
  public let quartiles: Quartiles?

  /// Three figures that divide a sample into quarters.
  public struct Quartiles: Sendable, Hashable {
    public let lower: Double
    public let median: Double
    public let upper: Double
  }

  /// Computes the delays from an actor's follows and followers.
  ///
  /// - Parameters:
  ///   - follows: accounts that the actor follows, and since when; nil if unknown.
  ///   - followers: accounts that follow the actor, and since when.
  public init(follows: [DID: Instant?], followers: [DID: Instant?]) {
    var (delays, waiting, followedFirst, undated) = ([Double](), 0, 0, 0)
    for (account, followed) in follows {
      guard let back = followers[account] else {
        waiting += 1
        continue
      }
      guard let followed, let back else {
        undated += 1
        continue
      }
      if back < followed { followedFirst += 1 } else { delays.append((back - followed) / .seconds(1)) }
    }
    count = delays.count
    self.waiting = waiting
    self.followedFirst = followedFirst
    self.undated = undated
    delays.sort()
    quartiles =
      delays.isEmpty
      ? nil
      : Quartiles(lower: delays.quantile(0.25), median: delays.quantile(0.5), upper: delays.quantile(0.75))
  }
}
