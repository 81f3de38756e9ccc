// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithRelationships

/// Reads what is not in the snapshots: posts, reactions to them, and a sample of the followers.
extension StatisticsCollector {
  mutating func survey(
    _ insights: inout AccountInsights, _ followers: FollowerHistory
  ) async throws {
    let audience = AudienceSurvey(workspace.listings(by: workspace.appview, usingCache: true))
    let population = followers.present.count
    let sizes = request.sampleSizes(followers: population)
    let posts = request.needsPosts ? try await readPosts(in: insights.time) : nil
    if let posts, request.wants(.engagement) || request.wants(.times) {
      let growth = GrowthCurve(
        followers.listing, profile: insights.followerCounts, clock: request.clock)
      insights.engagement = Engagement(of: posts.map { $0.figures(growth) }, clock: request.clock)
      insights.postsWithOldCount = posts.count {
        growth.sample(at: $0.writtenAt.instant)?.isOld ?? false
      }
      insights.postsBeforeCounts = posts.count { post in
        growth.counts.first.map { post.writtenAt.instant < $0.at } ?? true
          && growth.count(at: post.writtenAt.instant) != nil
      }
      insights.bestPosts = BestPost.best(of: posts.map(BestPost.init), most: 5)
    }
    guard request.needsSample else { return }
    let profiles =
      request.needsProfiles ? try await profiles(of: accounts(sizes.profiles, of: followers)) : [:]
    for profile in profiles.values { insights.top.names[profile.account] = InsightAccount(profile) }
    if request.wants(.top) {
      try await findTop(
        &insights, posts ?? [], profiles, asking: accounts(sizes.influence, of: followers), sizes, audience)
      insights.top.population = population
      insights.top.notable = NotableFollower.first(
        Self.mostNotable, of: profiles.values.compactMap { NotableFollower($0, following: population) })
    }
    let asked = accounts(sizes.activity, of: followers)
    if request.wants(.activity) { insights.activity = try await activity(of: asked, audience) }
    var latest: [DID: [PostSummary]] = [:]
    if request.needsLatestPosts { latest = try await latestPosts(of: asked, audience) }
    if request.wants(.audienceTimes) {
      insights.audienceTimes = PostingTimes(
        of: latest.values.map { posts in
          PostingTimes.Account(posts.map(\.writtenAt.instant), hasMore: posts.count >= Self.postsPerAccount)
        }, before: now, clock: request.clock)
    }
    if !request.wants(.audience), !request.wants(.bots) { return }
    let labelers = try await labelers(of: profiles)
    if request.wants(.audience) {
      var parts = parts(profiles, latest, asked, population: population)
      parts.labelers = labelers
      insights.audience = parts
    }
    if request.wants(.bots) {
      insights.bots = bots(profiles, latest, population: population, labelers)
    }
  }

  /// The latest posts of a follower that are read.
  private static let postsPerAccount = 20
  /// The notable followers that are named.
  private static let mostNotable = 20

  /// At most this many of the followers, in order; the number of a sample is not exact.
  private func accounts(_ size: Int, of followers: FollowerHistory) -> [DID] {
    let sample = AccountSample(size, of: followers.present.count)
    return Array(followers.present.keys.filter(sample.contains).sorted().prefix(size))
  }

  /// Notes that a part could not be read.
  ///
  /// - Throws: an error that is not about servers.
  mutating func noteMissing(_ part: InsightPart, _ error: any Error) throws {
    guard FailureKind(error) != nil, !(error is CancellationError) else { throw error }
    lack(.partMissing(part, reason: "\(error)"), because: error)
  }

  // MARK: Posts

  /// The posts of the period, latest first; nil if they cannot be read.
  private mutating func readPosts(in time: Range<Instant>) async throws -> [PostSummary]? {
    let listings = workspace.listings(by: workspace.appview, usingCache: true)
    var found: [PostSummary] = []
    do {
      for try await post in listings.posts(of: .did(actor)) {
        let moment = post.writtenAt.instant
        // Posts are sorted by the time they were indexed; posts with an older date may be in between.
        if moment < time.lowerBound - Self.freshness { break }
        if time.contains(moment) { found.append(post) }
        progress.advance()
        if found.count == request.mostPosts { break }
      }
      return found
    } catch {
      try noteMissing(.posts, error)
      return nil
    }
  }

  // MARK: Followers

  private mutating func profiles(
    of sample: [DID]
  ) async throws -> [DID: AccountView] {
    var (found, fault) = ([DID: AccountView](), RelationshipError?.none)
    for batch in sample.parts(of: 200) {
      for (account, outcome) in try await AccountViews(client: workspace.appview).outcomes(of: batch) {
        switch outcome {
        case .success(let profile): found[account] = profile
        case .failure(let error): fault = fault ?? error
        }
      }
      progress.advance(by: batch.count)
    }
    if let fault { try noteMissing(.profiles, fault) }
    return found
  }

  private mutating func activity(
    of accounts: [DID], _ audience: AudienceSurvey
  ) async throws -> Composition<AgeClass> {
    let now = now
    var (ages, fault) = ([AgeClass?](), RelationshipError?.none)
    for batch in accounts.parts(of: 50) {
      for outcome in try await audience.lastChanges(of: batch).values {
        switch outcome {
        case .success(let moment):
          ages.append(moment.map { AgeClass(of: $0.instant, now: now) })
        case .failure(let error):
          ages.append(nil)
          fault = fault ?? error
        }
      }
      progress.advance(by: batch.count)
    }
    if let fault { try noteMissing(.activity, fault) }
    return Composition(of: ages)
  }

  private mutating func latestPosts(
    of accounts: [DID], _ audience: AudienceSurvey
  ) async throws -> [DID: [PostSummary]] {
    var (found, fault) = ([DID: [PostSummary]](), RelationshipError?.none)
    for batch in accounts.parts(of: 50) {
      for (account, outcome) in try await audience.latestPosts(of: batch, most: Self.postsPerAccount) {
        switch outcome {
        case .success(let posts): found[account] = posts
        // What the AppView does not show stays unknown, and will be so the next time.
        case .failure(let error):
          if ![.actorNotFound, .hiddenByBlock].contains(error.code) { fault = fault ?? error }
        }
      }
      progress.advance(by: batch.count)
    }
    if let fault { try noteMissing(.latestPosts, fault) }
    return found
  }

  private func parts(
    _ profiles: [DID: AccountView], _ latest: [DID: [PostSummary]], _ asked: [DID], population: Int
  ) -> AudienceParts {
    let views = profiles.values
    var parts = AudienceParts()
    parts.sampleSize = profiles.count
    parts.population = population
    parts.ages = Composition(
      of: views.map { view in
        view.createdAt.map { AgeClass(of: $0.instant, now: now) }
      })
    parts.domains = Composition(
      of: views.map { view in
        view.handle.flatMap { $0.isInvalid ? nil : HandleDomain(of: $0.description) }
      })
    parts.verification = Composition(of: profiles.values.map { Optional($0.verification) })
    parts.words = BioWords(of: views.lazy.compactMap(\.description))
    parts.languages = Composition(of: asked.map { latest[$0]?.language })
    var labels: [AccountLabel: Int] = [:]
    for profile in profiles.values {
      for label in Set(profile.accountLabels) { labels[label, default: 0] += 1 }
    }
    parts.labels = labels.map { AudienceParts.LabelCount($0.key, $0.value) }.sorted {
      ($1.count, $0.label.value) < ($0.count, $1.label.value)
    }
    return parts
  }

  private func bots(
    _ profiles: [DID: AccountView], _ latest: [DID: [PostSummary]], population: Int,
    _ labelers: [DID: InsightAccount]
  ) -> BotFindings {
    let sample = profiles.sorted { $0.key < $1.key }.map { account, profile in
      (account: InsightAccount(profile), traits: profile.traits(latest[account] ?? []))
    }
    return BotFindings(sample, of: population, now: now, labelers: labelers)
  }

  /// The names of the accounts that have labeled profiles.
  private func labelers(of profiles: [DID: AccountView]) async throws -> [DID: InsightAccount] {
    let labelers = Set(profiles.values.flatMap(\.accountLabels).map(\.labeler))
    return try await workspace.names().views(of: labelers, asking: true).mapValues { InsightAccount($0) }
  }

  // MARK: Top accounts

  private mutating func findTop(
    _ insights: inout AccountInsights, _ posts: [PostSummary], _ profiles: [DID: AccountView],
    asking asked: [DID], _ sizes: SampleSizes, _ audience: AudienceSurvey
  ) async throws {
    let counts = profiles.compactMapValues { $0.counts?.followers }
    let most = TopAccounts.byFollowers(counts, most: SampleSizes.candidates)
    insights.top.byFollowers = most
    let follows = try await history(.follows, keepsAccounts: true).present
    insights.top.mutuals = TopAccounts.byFollowers(
      counts.filter { $0.key != actor && follows[$0.key] != nil }, most: SampleSizes.candidates)
    let reactions = try await audience.reactions(to: Array(posts.prefix(sizes.posts)))
    if let fault = reactions.fault { try noteMissing(.reactions, fault) }
    var interactions: [DID: Interactions] = [:]
    for (account, count) in reactions.likes { interactions[account, default: Interactions()].likes = count }
    for (account, count) in reactions.reposts {
      interactions[account, default: Interactions()].reposts = count
    }
    for (account, count) in reactions.quotes { interactions[account, default: Interactions()].quotes = count }
    interactions[actor] = nil
    let engaged = TopAccounts.byInteractions(interactions, most: SampleSizes.candidates)
    insights.top.byInteractions = engaged
    for entry in engaged.entries { insights.top.interactions[entry.account] = interactions[entry.account] }

    var candidates: [DID] = []
    for account in most.entries.map(\.account) + engaged.entries.map(\.account)
    where !candidates.contains(account) && candidates.count < SampleSizes.candidates {
      candidates.append(account)
    }
    let followed = try await audience.followers(among: asked, of: candidates)
    if followed.values.contains(where: { $0.asked < asked.count - 1 }) {
      lack(.partPartial(.influence))
      fail(.unavailable)
    }
    insights.top.byInfluence = TopAccounts.byInfluence(followed, most: SampleSizes.candidates)
    let unnamed = candidates.filter { insights.top.names[$0] == nil } + engaged.entries.map(\.account)
    for (account, view) in try await workspace.names().views(of: unnamed, asking: true) {
      insights.top.names[account] = InsightAccount(view)
    }
  }
}

extension BestPost {
  fileprivate init(_ post: PostSummary) {
    self.init(page: post.page, at: post.writtenAt.instant, text: post.text)
    (likes, reposts) = (post.counts.likes ?? 0, post.counts.reposts ?? 0)
    (replies, quotes) = (post.counts.replies ?? 0, post.counts.quotes ?? 0)
  }
}

extension PostSummary {
  /// The post as input for analytics, with the follower count at its time.
  fileprivate func figures(_ growth: GrowthCurve) -> PostFigures {
    var kinds: PostKinds = []
    for embed in embeds {
      switch embed {
      case .images: kinds.insert(.image)
      case .video: kinds.insert(.video)
      case .external: kinds.insert(.link)
      case .record: kinds.insert(.quote)
      }
    }
    if isReply { kinds.insert(.reply) }
    if kinds.isEmpty { kinds = .text }
    let moment = writtenAt.instant
    return PostFigures(
      at: moment, kinds: kinds, likes: counts.likes ?? 0, reposts: counts.reposts ?? 0,
      replies: counts.replies ?? 0, quotes: counts.quotes ?? 0, followers: growth.count(at: moment))
  }
}

extension [PostSummary] {
  /// The most common language, without region; nil if no post has one.
  fileprivate var language: String? {
    var counts: [String: Int] = [:]
    for post in self {
      for tag in Set(post.languages.map { String($0.prefix { $0 != "-" }).lowercased() }) {
        counts[tag, default: 0] += 1
      }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }
}

extension NotableFollower {
  fileprivate init?(_ profile: AccountView, following own: Int) {
    let marks = profile.marks
    self.init(
      InsightAccount(profile), followers: profile.counts?.followers,
      verification: marks?.isTrustedVerifier == true
        ? .trustedVerifier : marks?.isVerified == true ? .verified : nil, following: own)
  }
}

extension AccountView {
  /// The text in a table.
  fileprivate var verification: String {
    marks?.isTrustedVerifier == true
      ? "trusted verifier" : marks?.isVerified == true ? "verified" : "not verified"
  }

  /// The labels on the account itself; those on its profile record are about what it says.
  fileprivate var accountLabels: [AccountLabel] {
    (marks?.labels ?? []).filter { !$0.isOnProfile }.map { AccountLabel($0.value, by: $0.source) }
  }

  fileprivate func traits(_ posts: [PostSummary]) -> AccountTraits {
    var traits = AccountTraits()
    traits.followers = counts?.followers
    traits.follows = counts?.follows
    traits.posts = counts?.posts
    traits.createdAt = createdAt?.instant
    traits.lacksNames = (displayName ?? "").isEmpty && (description ?? "").isEmpty
    traits.labels = accountLabels
    traits.recentPosts = posts.map(\.writtenAt.instant)
    return traits
  }
}
