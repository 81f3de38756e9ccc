// SPDX-License-Identifier: Apache-2.0

/// The sample sizes of a survey.
struct SampleSizes: Sendable, Hashable {
  /// Followers whose follow date is read: 1 call per 30.
  let dates: Int
  /// Followers whose profile is read: 1 call per 25.
  let profiles: Int
  /// Followers whose activity is read: a DID document, a call to their server and one to the AppView each.
  let activity: Int
  /// Followers checked for following a top account: 1 call per 30, for each top account.
  let influence: Int
  /// Posts whose likes, reposts and quotes are read.
  let posts: Int
  /// The number of top accounts whose influence is measured.
  static let candidates = 10

  /// Up to this many followers, those that stand out are searched for among all of them: 800 calls.
  private static let mostSearched = 20_000

  /// - Parameters:
  ///   - wanted: the wanted size of samples; nil for sizes that need a few hundred calls each.
  ///   - followers: the number of followers on the listing.
  ///   - findsExtremes: whether the profiles serve to find the largest followers or the likely bots: a sample shows
  ///     shares, but not who stands out.
  init(_ wanted: Int?, followers: Int, findsExtremes: Bool) {
    dates = wanted ?? (followers <= 10_000 ? followers : 3_000)
    profiles = min(
      followers, wanted ?? (findsExtremes && followers <= Self.mostSearched ? followers : 1_000))
    activity = min(followers, wanted ?? 100)
    influence = min(followers, wanted ?? 300)
    posts = min(wanted ?? 20, 100)
  }
}
