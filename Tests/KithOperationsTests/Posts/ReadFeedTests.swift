// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Feeds and threads of a served network, each source compared with another one.
@Suite struct ReadFeedTests {
  /// Tests that change neither network nor time share it.
  private static let network = FaultyNetwork(.reference, accounts: 400)

  /// Reads a feed without failures.
  private func read(
    _ selection: ReadFeed.Selection, limit: Int, skipping skipped: FeedItem.Kinds = [],
    since: Datetime? = nil,
    from cursor: FeedCursor? = nil, by user: ServedUser
  ) async throws -> OperationRun<ReadFeed> {
    let run = try await user.run(
      ReadFeed(selection, limit: limit, skipping: skipped, since: since, from: cursor))
    if let interruption = run.outcome.rows.interruption { throw interruption }
    return run
  }

  /// The feeds of accounts one by one; none of one that a block hides.
  private func feeds(of accounts: [DID], limit: Int, by user: ServedUser) async throws -> [String] {
    var keys: [String] = []
    for account in accounts {
      do { keys += try await read(.author(.did(account)), limit: limit, by: user).keys } catch {
        // A mutual may block by a list.
        try #require(FailureKind(error) == .notAllowed)
      }
    }
    return keys.sorted(by: >)
  }

  /// The accounts of a listing that the AppView shows.
  private func accounts(_ query: ListingQuery, by user: ServedUser) async throws -> [DID] {
    try await user.run(ListAccounts(query)).rows.map(\.view).filter { $0.handle != nil }.map(\.account)
  }

  @Test func theFeedOfMutualsIsThatOfTheirOwnFeeds() async throws {
    let alice = try await ServedUser(on: Self.network)
    let mutuals = try await accounts(.mutuals(of: alice.actor("alice")), by: alice)
    let merged = try await read(.mutuals, limit: 60, by: alice)
    #expect(mutuals.count > 20 && merged.outcome.source == .timeline)
    #expect(merged.keys.sorted(by: >) == Array(try await feeds(of: mutuals, limit: 60, by: alice).prefix(60)))
  }

  @Test func aSegmentIsReadAccountByAccountAndContinues() async throws {
    let alice = try await ServedUser(on: Self.network)
    _ = try await alice.run(AddSegment("loud", "not following"))
    let predicate = try AccountPredicate(
      checking: "not following", now: Datetime(at: Self.network.time.instant), segments: [:])
    let followers = try await accounts(
      ListingQuery(.followers(of: alice.actor("alice")), where: predicate), by: alice)
    let whole = try await read(.segment("loud"), limit: 50, by: alice)
    #expect(whole.outcome.source == .authors && whole.rows.count == 50)
    #expect(
      whole.keys.sorted(by: >) == Array(try await feeds(of: followers, limit: 50, by: alice).prefix(50)))
    let first = try await read(.segment("loud"), limit: 20, by: alice)
    let next = try #require(first.outcome.cursor)
    let rest = try await read(.segment("loud"), limit: 30, from: next, by: alice)
    #expect(first.keys + rest.keys == whole.keys)
  }

  @Test func theTimelineContinuesWithoutRepeatingOrLosingAnything() async throws {
    let alice = try await ServedUser(on: Self.network)
    let whole = try await read(.following, limit: 120, by: alice)
    #expect(whole.rows.count == 120)
    var found: [String] = []
    var cursor: FeedCursor?
    for _ in 0..<12 where found.count < 120 {
      let part = try await read(.following, limit: 17, from: cursor, by: alice)
      found += part.keys
      // A cursor is handed on as text.
      cursor = FeedCursor(try #require(part.outcome.cursor).description)
    }
    #expect(Array(found.prefix(120)) == whole.keys)
  }

  @Test func blockedAndMutedAccountsAreNotInAnyFeed() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    let (bob, grace) = (try alice.did("bob"), try alice.did("grace"))
    try await alice.change(.block(bob), .mute(grace, .everything))
    let selections: [(ReadFeed.Selection, limit: Int)] = [
      (.following, 200), (.mutuals, 100), (.friends, 100),
    ]
    for (selection, limit) in selections {
      let found = try await read(selection, limit: limit, by: alice).rows
      #expect(!found.isEmpty, "\(selection)")
      let wrong = found.filter { !shown(in: $0).isDisjoint(with: [.did(bob), .did(grace)]) }
      #expect(wrong.map(\.uri) == [], "\(selection)")
    }
    let blocked = await FailureKind.thrown {
      try await read(.author(.did(bob)), limit: 30, by: alice)
    }
    #expect(blocked == .notAllowed)
  }

  /// The accounts that a row shows. A post that is gone is not shown; the record still names it.
  private func shown(in row: PostRow) -> Set<ATIdentifier> {
    let references = [row.parent, row.post?.quote].compactMap(\.self).filter { $0.content != .gone }
    let accounts = [row.post?.author.account, row.repost?.by.account] + references.map { $0.author?.account }
    let parent = row.parent == nil ? row.post?.summary.parent : nil
    let uris = [row.uri] + references.map(\.uri) + [parent].compactMap(\.self)
    return Set(uris.map(\.authority) + accounts.compactMap { $0.map { .did($0) } })
  }

  @Test func sinceEndsAFeedAndTheKindsCanBeLeftOut() async throws {
    let alice = try await ServedUser(on: Self.network)
    let start = Datetime(at: Self.network.time.instant - .days(10))
    let all = try await read(.following, limit: 300, since: start, by: alice).rows
    #expect(!all.isEmpty && all.count < 300 && all.contains { $0.relationship?.word == .itself })
    #expect(all.allSatisfy { $0.moment.map { $0.instant >= start.instant } ?? false })
    let plain = try await read(
      .following, limit: 300, skipping: [.replies, .reposts], since: start, by: alice
    ).rows
    #expect(plain.count < all.count && !plain.isEmpty)
    #expect(plain.allSatisfy { $0.repost == nil && $0.parent == nil && $0.post?.summary.isReply == false })
  }

  /// Programs import old posts, which AppViews may show among new ones.
  @Test(arguments: [0, 5, 19]) func sincePassesOverAnOldPostAmongNewOnes(place: Int) async throws {
    let alice = try await ServedUser(on: Self.network)
    let start = Datetime(at: Self.network.time.instant - .days(10))
    let feed = ReadFeed(.following, limit: 300, since: start)
    let all = try await alice.run(feed)
    let backdated = RewritingNetwork(network: Self.network) { request, answer in
      guard request.method.hasSuffix("getTimeline"), request["cursor"].isEmpty,
        var items = answer["feed"] as? [RewritingNetwork.Fields],
        var post = items[place]["post"] as? RewritingNetwork.Fields,
        var record = post["record"] as? RewritingNetwork.Fields
      else { return }
      record["createdAt"] = "2019-01-01T00:00:00.000Z"
      post["record"] = record
      (items[place]["post"], items[place]["reason"]) = (post, nil)
      answer["feed"] = items
    }
    let found = try await alice.run(feed, over: backdated)
    #expect(found.rows.map(\.uri) == all.rows.enumerated().filter { $0.offset != place }.map(\.element.uri))
    #expect(found.outcome.endedBySince && found.outcome.cursor == nil && all.outcome.endedBySince)
  }

  @Test func aThreadHasWhatAnswersAPostAndIsIndented() async throws {
    let alice = try await ServedUser(on: Self.network)
    let reply = try #require(
      try await read(.following, limit: 300, by: alice).rows.first { $0.parent?.author != nil }?.uri)
    let thread = try await alice.run(ReadThread(reply)).rows
    #expect(thread.first?.place?.depth == -1)
    #expect(thread.first { $0.uri == reply }?.place?.depth == 0)
    let parent = try #require(thread.first?.uri)
    let above = try await alice.run(ReadThread(parent, depth: 1, height: 0)).rows
    #expect(above.first?.uri == parent && above.first?.place?.depth == 0)
  }
}

extension OperationRun<ReadFeed> {
  /// What identifies the entries: the post, and who has reposted it.
  fileprivate var keys: [String] {
    rows.map { "\($0.moment?.description ?? "") \($0.uri) \($0.repost.map { "\($0.by.account)" } ?? "")" }
  }
}
