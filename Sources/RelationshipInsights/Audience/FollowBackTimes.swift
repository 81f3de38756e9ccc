// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// How long it takes until those who are followed follow back.
///
/// By the dates of the records, which are the word of whoever wrote them. Who followed back and left again counts as one who
/// does not.
public struct FollowBackTimes: Sendable, Hashable {
  /// Who was followed first, and follows back.
  public let count: Int
  /// Who was followed, and does not follow back.
  public let waiting: Int
  /// Who had followed before they were followed.
  public let followedFirst: Int
  /// Who follows back, and nobody knows which came first.
  public let undated: Int
  /// In seconds: a quarter, half and three quarters followed back within; nil where nobody did.
  public let quartiles: Quartiles?

  /// Three figures that cut a sample into quarters.
  public struct Quartiles: Sendable, Hashable {
    public let lower: Double
    public let median: Double
    public let upper: Double
  }

  /// How soon those follow back whom somebody follows.
  ///
  /// - Parameters:
  ///   - follows: whom they follow and since when, in microseconds since 1970; nil where that is not known.
  ///   - followers: who follows them, and since when.
  public init(follows: [DID: Int64?], followers: [DID: Int64?]) {
    var (delays, waiting, followedFirst, undated) = ([Double](), 0, 0, 0)
    for (account, followed) in follows {
      guard let back = followers[account] else {
        waiting += 1
        continue
      }
      guard let followed, let back, case let (delay, overflow) = back.subtractingReportingOverflow(followed),
        !overflow
      else {
        undated += 1
        continue
      }
      if delay < 0 { followedFirst += 1 } else { delays.append(Double(delay) / 1_000_000) }
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
