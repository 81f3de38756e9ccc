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

  /// - Parameter wanted: the wanted size of samples; nil for sizes that need a few hundred calls each.
  init(_ wanted: Int?, followers: Int) {
    dates = wanted ?? (followers <= 10_000 ? followers : 3_000)
    profiles = min(followers, wanted ?? 1_000)
    activity = min(followers, wanted ?? 100)
    influence = min(followers, wanted ?? 300)
    posts = min(wanted ?? 20, 100)
  }
}
