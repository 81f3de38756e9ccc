// SPDX-License-Identifier: Apache-2.0

/// Corrects an AppView's count of the account's own follows by changes that it may not have counted yet.
///
/// An answer does not show which follows it counts. If the count moves in the direction of pending changes,
/// it is assumed to include them; if it does not move, it is assumed to include none.
struct FollowCountCorrection: Sendable {
  /// The AppView's last count; nil before the first answer.
  private(set) var reported: Int?
  /// Follows and unfollows that the AppView has not counted yet.
  private var follows = 0
  private var unfollows = 0
  /// When the last of them began.
  private var begunAt = Duration.zero
  /// When the request that ``reported`` answers was sent.
  private var askedAt = Duration.zero

  /// The longest lag of an AppView.
  let longestLag: Duration

  init(longestLag: Duration) { self.longestLag = longestLag }

  /// The correction to add to the AppView's count.
  var pending: Int { follows - unfollows }

  /// Adds a pending or completed follow (1) or unfollow (-1).
  mutating func begin(_ change: Int, at now: Duration) {
    if change > 0 { follows += change } else { unfollows -= change }
    if change != 0 { begunAt = now }
  }

  /// Removes a change that does not happen. If the AppView seemed to have counted it, that was another
  /// change.
  mutating func withdraw(_ change: Int) {
    if change > 0 { follows = max(0, follows - change) } else { unfollows = max(0, unfollows + change) }
  }

  private mutating func forget() { (follows, unfollows) = (0, 0) }

  /// Processes a count from the AppView.
  ///
  /// - Parameter askedAt: when the request was sent; the first count does not include changes that began
  ///   later.
  /// - Returns: whether the count is new; an answer overtaken by that of a later request is not.
  mutating func reconcile(_ count: Int?, askedAt: Duration, at now: Duration) -> Bool {
    guard askedAt >= self.askedAt else { return false }
    self.askedAt = askedAt
    if let count { update(count, at: now) }
    return true
  }

  private mutating func update(_ count: Int, at now: Duration) {
    defer { reported = count }
    guard let reported else {
      if begunAt < askedAt { forget() }
      return
    }
    if now - begunAt >= longestLag { forget() } else { withdraw(count - reported) }
  }
}
