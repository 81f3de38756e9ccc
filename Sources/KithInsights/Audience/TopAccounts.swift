// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// How often an account has liked, reposted or quoted some posts. No listing shows who replied.
public struct Interactions: Sendable, Hashable {
  public var likes = 0
  public var reposts = 0
  public var quotes = 0

  /// Creates zero interactions.
  public init() {}

  /// The sum, with equal weights; negative numbers count as zero.
  public var total: Int {
    [likes, reposts, quotes].reduce(0) { sum, count in
      let (total, overflow) = sum.addingReportingOverflow(max(0, count))
      return overflow ? .max : total
    }
  }
}

/// Accounts with the highest values of a figure.
public struct TopAccounts: Sendable, Hashable {
  /// An account and its value.
  public struct Entry: Sendable, Hashable {
    public let account: DID
    public let value: Double
    /// The uncertainty of the value, if it comes from a sample.
    public let estimate: Estimate?
  }

  /// Greatest value first; equal ones sorted by DID.
  public let entries: [Entry]
  /// The number of accounts compared.
  public let candidates: Int

  private init(_ entries: [Entry], most: Int) {
    candidates = entries.count
    self.entries = Array(
      entries.sorted { ($1.value, $0.account.description) < ($0.value, $1.account.description) }
        .prefix(max(0, most)))
  }

  /// The accounts with the most followers.
  public static func byFollowers(_ counts: [DID: Int], most: Int) -> TopAccounts {
    TopAccounts(counts.map { Entry(account: $0.key, value: Double($0.value), estimate: nil) }, most: most)
  }

  /// The accounts with the most interactions with the posts examined.
  public static func byInteractions(_ counts: [DID: Interactions], most: Int) -> TopAccounts {
    TopAccounts(
      counts.filter { $0.value.total > 0 }.map {
        Entry(account: $0.key, value: Double($0.value.total), estimate: nil)
      }, most: most)
  }

  /// The accounts that most of the audience follows: the share of a sample that follows them, 0 to 1.
  ///
  /// - Parameter followed: for each candidate, the number of answers in the sample and how many of them are
  ///   follows.
  public static func byInfluence(
    _ followed: [DID: (count: Int, asked: Int)], most: Int
  ) -> TopAccounts {
    TopAccounts(
      followed.compactMap { account, answer in
        Estimate.share(answer.count, of: answer.asked).map {
          Entry(account: account, value: $0.value, estimate: $0)
        }
      }, most: most)
  }
}
