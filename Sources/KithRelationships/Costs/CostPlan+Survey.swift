// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// The size of an ``AudienceSurvey``.
package struct SurveySize: Sendable, Hashable {
  /// Posts of the account to read.
  package var posts = 0
  /// Posts whose likes, reposts and quotes are read.
  package var reactions = 0
  /// Profiles of followers to read.
  package var profiles = 0
  /// Followers whose servers are asked for the last change of the repository.
  package var activity = 0
  /// Followers whose latest posts are read.
  package var latestPosts = 0
  /// Accounts for which followers in the sample are counted.
  package var candidates = 0
  /// Size of the follower sample for ``candidates``.
  package var influence = 0

  /// An empty survey.
  package init() {}
}

extension CostPlan {
  /// Adds the cost of a survey: an upper bound, unless a post has more than 100 likes, reposts or quotes.
  package mutating func add(_ survey: SurveySize) {
    let upTo: Assumptions = [.counts, .facts]
    if survey.posts > 0 {
      // A page has half as many posts as a page of accounts, and it includes reposts.
      addListing(App.Bsky.Feed.GetAuthorFeed.nsid, entries: 2 * survey.posts)
    }
    for method in [
      App.Bsky.Feed.GetLikes.nsid, App.Bsky.Feed.GetRepostedBy.nsid, App.Bsky.Feed.GetQuotes.nsid,
    ] {
      add("\(method)", calls: survey.reactions, payload: survey.reactions * 10_000, assuming: upTo)
    }
    if survey.profiles > 0 {
      add(
        "\(App.Bsky.Actor.GetProfiles.nsid)",
        calls: Self.batches(survey.profiles, of: AccountViews.batchSize) + 2,
        payload: survey.profiles * Self.bytesPerProfile, assuming: upTo)
    }
    add(CallMeter.documents, calls: survey.activity, payload: survey.activity * 1_000, assuming: upTo)
    add(
      "\(Com.Atproto.Sync.GetLatestCommit.nsid)", calls: survey.activity, payload: survey.activity * 200,
      assuming: upTo)
    add(
      "\(App.Bsky.Feed.GetAuthorFeed.nsid)", calls: survey.latestPosts, payload: survey.latestPosts * 20_000,
      assuming: upTo)
    add(
      "\(App.Bsky.Graph.GetRelationships.nsid)",
      calls: survey.candidates * Self.batches(survey.influence, of: AppViewRelationshipSource.targetsPerCall),
      payload: survey.candidates * survey.influence * Self.bytesPerTarget, assuming: upTo)
  }
}
