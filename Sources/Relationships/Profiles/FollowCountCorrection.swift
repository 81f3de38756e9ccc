// SPDX-License-Identifier: Apache-2.0

/// How the count of an account's own follows stands to what an AppView says: what was wished and done since, and is
/// not counted there yet.
///
/// Nothing in the answer tells which follows it counts. A count that moves the way in which changes are pending is
/// taken to have them in it; one that stays where it was has none of them.
struct FollowCountCorrection: Sendable {
  /// What the AppView said last; nil before it was asked.
  private(set) var said: Int?
  /// Follows, and ends of follows, that the AppView has yet to count.
  private var follows = 0
  private var unfollows = 0
  /// When the last of them began.
  private var begunAt = Duration.zero
  /// When the question was sent that ``said`` answers.
  private var askedAt = Duration.zero

  /// How long an AppView may lag behind.
  let longestLag: Duration

  init(longestLag: Duration) { self.longestLag = longestLag }

  /// By how much the AppView's count is to be corrected.
  var pending: Int { follows - unfollows }

  /// A follow (1), or the end of one (-1), is wished or done.
  mutating func begin(_ change: Int, at now: Duration) {
    if change > 0 { follows += change } else { unfollows -= change }
    if change != 0 { begunAt = now }
  }

  /// It does not happen. What an AppView was taken to have counted meanwhile was something else.
  mutating func withdraw(_ change: Int) {
    if change > 0 { follows = max(0, follows - change) } else { unfollows = max(0, unfollows + change) }
  }

  private mutating func forget() { (follows, unfollows) = (0, 0) }

  /// The AppView says a count.
  ///
  /// - Parameter askedAt: when the question was sent; what began later is not in the first count that comes.
  /// - Returns: whether it is news; an answer that a later question has overtaken is not.
  mutating func hear(_ count: Int?, askedAt: Duration, at now: Duration) -> Bool {
    guard askedAt >= self.askedAt else { return false }
    self.askedAt = askedAt
    if let count { learn(count, at: now) }
    return true
  }

  private mutating func learn(_ count: Int, at now: Duration) {
    defer { said = count }
    guard let said else {
      if begunAt < askedAt { forget() }
      return
    }
    if now - begunAt >= longestLag { forget() } else { withdraw(count - said) }
  }
}
