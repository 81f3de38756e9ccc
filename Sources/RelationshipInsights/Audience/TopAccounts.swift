// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// How often an account has liked, reposted or quoted some posts. Who answers a post no listing tells.
public struct Interactions: Sendable, Hashable {
  public var likes = 0
  public var reposts = 0
  public var quotes = 0

  /// None.
  public init() {}

  /// All of them: each counts the same; what is negative counts as nothing.
  public var total: Int {
    [likes, reposts, quotes].reduce(0) { sum, count in
      let (total, overflow) = sum.addingReportingOverflow(max(0, count))
      return overflow ? .max : total
    }
  }
}

/// Accounts that stand out, with what they stand out by.
public struct TopAccounts: Sendable, Hashable {
  /// An account and its figure.
  public struct Entry: Sendable, Hashable {
    public let account: DID
    public let value: Double
    /// How far the value may be off, where it comes from a sample.
    public let estimate: Estimate?
  }

  /// The greatest value first; of equal ones in the order of their DIDs.
  public let entries: [Entry]
  /// Among how many they were found.
  public let candidates: Int

  private init(_ entries: [Entry], most: Int) {
    candidates = entries.count
    self.entries = Array(
      entries.sorted { ($1.value, $0.account.description) < ($0.value, $1.account.description) }
        .prefix(max(0, most)))
  }

  /// Those with the most followers of their own.
  public static func byFollowers(_ counts: [DID: Int], most: Int) -> TopAccounts {
    TopAccounts(counts.map { Entry(account: $0.key, value: Double($0.value), estimate: nil) }, most: most)
  }

  /// Those who did the most with the posts that were looked at.
  public static func byInteractions(_ counts: [DID: Interactions], most: Int) -> TopAccounts {
    TopAccounts(
      counts.filter { $0.value.total > 0 }.map {
        Entry(account: $0.key, value: Double($0.value.total), estimate: nil)
      }, most: most)
  }

  /// Those whom the most of the audience follow: the share of a sample of it that follows them, 0 to 1.
  ///
  /// - Parameter followed: of how many of the sample was learned whether they follow a candidate, and how many do.
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
