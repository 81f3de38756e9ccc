// SPDX-License-Identifier: Apache-2.0

/// A follower that is verified, or has more followers than the account itself.
public struct NotableFollower: Sendable, Hashable {
  /// Why an account is notable.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// An AppView says that it verifies others.
    case trustedVerifier = "trusted verifier"
    /// An AppView says that it is verified.
    case verified
    /// It has more followers than the account that it follows.
    case larger
  }

  public let account: InsightAccount
  /// Nil if the AppView does not say.
  public let followers: Int?
  /// At least one.
  public let reasons: [Reason]

  /// Creates a notable follower; nil without a reason.
  ///
  /// - Parameter own: the number of followers of the account that it follows.
  public init?(
    _ account: InsightAccount, followers: Int?, verification: Reason?, following own: Int
  ) {
    reasons = [verification, followers.flatMap { $0 > own ? .larger : nil }].compactMap(\.self)
    if reasons.isEmpty { return nil }
    (self.account, self.followers) = (account, followers)
  }

  /// The most followed of some accounts.
  public static func first(_ most: Int, of found: [NotableFollower]) -> [NotableFollower] {
    Array(
      found.sorted { ($1.followers ?? -1, $0.account.did) < ($0.followers ?? -1, $1.account.did) }
        .prefix(max(0, most)))
  }
}
