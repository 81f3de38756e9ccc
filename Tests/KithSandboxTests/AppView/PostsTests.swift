// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct PostsTests {
  private typealias FeedViewPost = App.Bsky.Feed.Defs.FeedViewPost
  private typealias Feed = App.Bsky.Feed.GetAuthorFeed

  /// The middle of 2025.
  private static let now: Instant = 1_750_000_000_000_000
  private let questions = SandboxQuestions { Self.now }
  /// Everything that alice posted, loaded once.
  private static let feedOfAlice = Result { try PostsTests().pages(of: .alice, limit: 100) }

  private func page(
    _ member: NamedAccount, limit: Int? = 100, cursor: String? = nil, filter: Feed.Parameters.Filter? = nil,
    of questions: SandboxQuestions? = nil
  ) throws -> Feed.Output {
    let questions = questions ?? self.questions
    return try questions.ask(
      Feed.self,
      Feed.Parameters(
        actor: .did(questions.did(member)), limit: limit, cursor: cursor, filter: filter))
  }

  private func feed(
    _ member: NamedAccount, limit: Int = 100, filter: Feed.Parameters.Filter? = nil
  ) throws -> [FeedViewPost] {
    guard member == .alice, filter == nil else {
      return try pages(of: member, limit: limit, filter: filter)
    }
    return try Self.feedOfAlice.get()
  }

  private func pages(
    of member: NamedAccount, limit: Int, filter: Feed.Parameters.Filter? = nil
  ) throws -> [FeedViewPost] {
    try questions.pages(
      { try page(member, limit: limit, cursor: $0, filter: filter) }, cursor: \.cursor
    ).flatMap(\.feed)
  }

  private func profile(_ did: DID) throws -> App.Bsky.Actor.Defs.ProfileViewDetailed {
    try questions.ask(
      App.Bsky.Actor.GetProfile.self, App.Bsky.Actor.GetProfile.Parameters(actor: .did(did)))
  }

  private func record(_ item: FeedViewPost) throws -> App.Bsky.Feed.Post {
    try item.post.record.decode(App.Bsky.Feed.Post.self)
  }

  private func likers(_ uri: ATURI, limit: Int = 100) throws -> [DID] {
    try questions.pages(
      {
        try questions.ask(App.Bsky.Feed.GetLikes.self, .init(uri: uri, limit: limit, cursor: $0))
      }, cursor: \.cursor
    ).flatMap { $0.likes.map(\.actor.did) }
  }

  private func reposters(_ uri: ATURI) throws -> [DID] {
    try questions.ask(App.Bsky.Feed.GetRepostedBy.self, .init(uri: uri, limit: 100)).repostedBy.map(\.did)
  }

  @Test func listsTheNewestFirstToTheEnd() throws {
    let all = try feed(.bob)
    #expect(try feed(.bob, limit: 7) == all)
    let moments = all.map(\.post.indexedAt.instant)
    #expect(moments == moments.sorted(by: >))
    #expect(Set(all.map(\.post.uri)).count == all.count)
    #expect((300...450).contains(all.count))
    #expect(try feed(.niaj).isEmpty)
  }

  @Test func countsAsManyPostsAsItLists() throws {
    for member in [NamedAccount.alice, .bob, .niaj] {
      let posts = try feed(member).filter { $0.reason == nil }
      #expect(try profile(questions.did(member)).postsCount == posts.count)
    }
    #expect((1_900...2_500).contains(try profile(questions.did(.alice)).postsCount ?? 0))
  }

  @Test func showsValidRecords() throws {
    for item in try page(.alice).feed {
      try record(item).validate()
      #expect(item.reason != nil || item.post.author.did == questions.did(.alice))
    }
  }

  @Test func showsEachEmbedAsItsOwnView() throws {
    var kinds: Set<String> = []
    for item in try feed(.alice) {
      switch (item.post.embed, try record(item).embed) {
      case (.imagesView, .images): kinds.insert("images")
      case (.videoView, .video): kinds.insert("video")
      case (.externalView, .external): kinds.insert("external")
      case (.recordView(let view), .record(let quote)):
        guard case .viewRecord(let quoted) = view.record else { continue }
        #expect(quoted.uri == quote.record.uri && quoted.cid == quote.record.cid)
        kinds.insert("quote")
      case (nil, nil): kinds.insert(try record(item).reply == nil ? "text" : "reply")
      default: Issue.record("\(item.post.uri) has an embed of another kind than its record")
      }
    }
    #expect(kinds == ["images", "video", "external", "quote", "text", "reply"])
  }

  @Test func filters() throws {
    let all = try feed(.alice)
    for filter in [Feed.Parameters.Filter.postsNoReplies, .postsAndAuthorThreads] {
      #expect(try page(.alice, filter: filter).feed == all.filter { $0.reply == nil }.prefix(100).map { $0 })
    }
    let media = try feed(.alice, filter: .postsWithMedia)
    #expect(!media.isEmpty && media.count < all.count / 2)
    for item in media {
      switch item.post.embed {
      case .imagesView, .videoView: #expect(item.reason == nil)
      default: Issue.record("\(item.post.uri) has no media")
      }
    }
    #expect(all.contains { $0.reply != nil })
  }

  @Test func marksReposts() throws {
    let reposts = try feed(.alice).filter { $0.reason != nil }
    #expect((40...200).contains(reposts.count))
    for item in reposts {
      #expect(item.post.author.did != questions.did(.alice))
      guard case .reasonRepost(let reason) = item.reason else { continue }
      #expect(reason.by.did == questions.did(.alice))
      #expect(reason.indexedAt.instant > item.post.indexedAt.instant)
      #expect(try reposters(item.post.uri).contains(questions.did(.alice)))
    }
  }

  /// The counts include inactive accounts, the lists do not.
  @Test func countsWhatItLists() throws {
    let shown = Set(
      questions.network.accounts.filter { $0.status == .active }.map(\.did))
    let alice = NamedAccount.alice.rawValue
    let audience = Audience(of: alice, in: LiveGraph(questions.network))
    for item in try page(.alice, limit: 40).feed where item.reason == nil {
      let (post, uri) = (item.post, item.post.uri)
      let key = try #require(uri.recordKey)
      let made = try #require(questions.origin.live.posts.post(of: alice, key: key, until: Self.now))
      let likes = audience.likes(of: made, isViral: false, until: Self.now)
      let reposts = audience.reposts(of: made, isViral: false, until: Self.now)
      #expect(post.likeCount == likes.count && post.repostCount == reposts.count)
      #expect(
        try likers(uri, limit: 9)
          == likes.map { questions.network.dids[$0.account] }.filter(shown.contains))
      #expect(
        try reposters(uri)
          == reposts.map { questions.network.dids[$0.account] }.filter(shown.contains))
    }
  }

  @Test func listsQuotesOfAPost() throws {
    var quotes = 0
    for item in try feed(.alice).prefix(600) where item.reason == nil && item.post.quoteCount != 0 {
      let listed = try questions.ask(
        App.Bsky.Feed.GetQuotes.self, .init(uri: item.post.uri, limit: 100)
      ).posts
      #expect(listed.count <= item.post.quoteCount ?? 0)
      for quote in listed {
        guard case .recordView(let view) = quote.embed, case .viewRecord(let quoted) = view.record else {
          Issue.record("\(quote.uri) quotes nothing")
          continue
        }
        #expect(quoted.uri == item.post.uri && quoted.quoteCount == item.post.quoteCount)
      }
      quotes += listed.count
    }
    #expect(quotes > 5)
  }

  @Test func hasFansThatLikeNearlyEverything() throws {
    let posts = try page(.alice).feed.filter { $0.reason == nil && $0.reply == nil }.map(\.post.uri)
    let fans = try posts.map { Set(try likers($0)) }
    for fan in [NamedAccount.judy, .bob] {
      #expect(fans.count { $0.contains(questions.did(fan)) } > posts.count * 7 / 10)
    }
    let mean = fans.reduce(0) { $0 + $1.count } / posts.count
    #expect((3...60).contains(mean))
  }

  @Test func doesBetterWithImagesAndInTheEvening() throws {
    let posts = try feed(.alice).filter { $0.reason == nil }
    func mean(_ passes: (FeedViewPost) throws -> Bool) rethrows -> Double {
      let likes = try posts.filter(passes).compactMap(\.post.likeCount)
      return Double(likes.reduce(0, +)) / Double(likes.count)
    }
    let text = mean { $0.post.embed == nil && $0.reply == nil }
    let images = mean { if case .imagesView = $0.post.embed { true } else { false } }
    #expect(images > 1.3 * text && mean { $0.reply != nil } < 0.8 * text)
    let hour = { (item: FeedViewPost) in item.post.indexedAt.instant.secondsSinceEpoch / 3_600 % 24 }
    #expect(mean { 18...21 ~= hour($0) } > 1.2 * mean { 8...16 ~= hour($0) })
  }

  @Test func showsNothingFromTheFuture() throws {
    let later = SandboxQuestions { Self.now + 30 * 86_400_000_000 }
    let earlier = try feed(.alice).map(\.post.uri)
    #expect(try feed(.alice).allSatisfy { $0.post.indexedAt.instant <= Self.now })
    let newest = try page(.alice, of: later).feed.map(\.post.uri)
    let known = newest.drop { !earlier.contains($0) }
    #expect(!known.isEmpty && Array(known) == Array(earlier.prefix(known.count)))
    let unseen = try #require(newest.first)
    #expect(try likers(unseen).isEmpty)
  }

  @Test func isTheSameForTheSameSeed() throws {
    let again = SandboxQuestions(SandboxNetwork()) { Self.now }
    let other = SandboxQuestions(SandboxNetwork(configuration: .init(seed: 2))) { Self.now }
    #expect(try page(.alice, of: again) == page(.alice))
    #expect(try page(.alice, of: other).feed.map(\.post.indexedAt) != page(.alice).feed.map(\.post.indexedAt))
  }

  @Test func refusesUnknownAndInactiveAccounts() throws {
    for actor in ["nobody.test", "oscar.test"] {
      #expect(throws: XRPCFault.invalidRequest("Profile not found")) {
        try questions.ask(Feed.self, .init(actor: .handle(try Handle(parsing: actor))))
      }
    }
    #expect(throws: XRPCFault.invalidRequest("Malformed cursor")) { try page(.alice, cursor: "x") }
  }

  @Test func hasStrangersOfAllHabits() throws {
    let posts = questions.origin.live.posts
    let strangers = NamedAccount.allCases.count..<1_000
    let counts = strangers.map { posts.countPosts(of: $0, until: Self.now) }
    #expect((50...150).contains(counts.count { $0 == 0 }))
    #expect((10...40).contains(counts.sorted()[counts.count / 2]))
    let year: Int64 = 365 * 86_400_000_000
    let silent = strangers.filter { account in
      let last = posts.posts(of: account, until: Self.now).last
      return last.map { $0.moment < Self.now - year } ?? false
    }
    #expect((50...200).contains(silent.count))
  }

  @Test func hasAFewBots() throws {
    let bots = questions.network.dids.indices.filter(questions.network.isBot)
    #expect((1...20).contains(bots.count))
    for bot in bots where questions.network.status(at: bot) == .active {
      let profile = try profile(questions.network.dids[bot])
      #expect(profile.displayName == nil && profile.description == nil)
      #expect(profile.followsCount ?? 0 > 200)
      let made = try #require(profile.createdAt).instant
      #expect(made > Self.now - 60 * 86_400_000_000 && made < Self.now)
      let moments = questions.origin.live.posts.posts(of: bot, until: Self.now).map(\.moment)
      #expect(Set(zip(moments, moments.dropFirst()).map { $1 - $0 }) == [.seconds(7_200)])
      #expect(try #require(moments.first) >= made)
    }
  }

  @Test func marksAFewAccounts() throws {
    let followers = try questions.pages(
      {
        try questions.ask(
          App.Bsky.Graph.GetFollowers.self,
          .init(actor: .did(questions.did(.grace)), limit: 100, cursor: $0))
      }, cursor: \.cursor
    ).flatMap(\.followers)
    let labelled = followers.filter { $0.labels?.isEmpty == false }
    #expect((1...20).contains(labelled.count))
    #expect(labelled.allSatisfy { $0.labels?.first?.src == questions.did(.grace) })
    #expect((1...20).contains(followers.count { $0.verification?.verifiedStatus == .valid }))
    #expect(try profile(questions.did(.carol)).verification?.verifiedStatus == .valid)
    #expect(try profile(questions.did(.alice)).verification == nil)
  }
}
