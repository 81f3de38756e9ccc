// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithPosts

/// Which posts of a feed are handed out, and where it continues.
@Suite struct FeedReaderTests {
  typealias Samples = FeedSamples

  private static func reply(to parent: String, root: String? = nil, more: String = "") -> String {
    #","reply":{"root":\#(root ?? parent),"parent":\#(parent)\#(more)}"#
  }

  private static func quote(_ author: String) -> String {
    let record = #"{"uri":"\#(Samples.uri(3, 1))","author":\#(author),"value":{"text":"quoted"}}"#
    return #","embed":{"$type":"app.bsky.embed.record#view","record":\#(record)}"#
  }

  private static func repost(_ by: String) -> String {
    #","reason":{"$type":"app.bsky.feed.defs#reasonRepost","by":\#(by),"indexedAt":"\#(Samples.date(90))"}"#
  }

  private static let plain = Samples.post(1, 1, at: 80)

  /// Entries that an account with a state of the viewer is in, each in another role.
  private static func entries(with state: String) -> [String] {
    let other = Samples.profile(3, viewer: state)
    let theirs = Samples.post(3, 1, at: 50, as: other)
    return [
      Samples.item(Samples.post(3, 2, at: 80, as: other)), Samples.item(plain, repost(other)),
      Samples.item(Samples.post(1, 2, at: 80, more: quote(other))),
      Samples.item(Samples.post(1, 3, at: 80), reply(to: theirs)),
      Samples.item(Samples.post(1, 4, at: 80), reply(to: Samples.post(4, 1, at: 60), root: theirs)),
      Samples.item(
        Samples.post(1, 5, at: 80),
        reply(to: Samples.post(4, 1, at: 60), more: #","grandparentAuthor":\#(other)"#)),
    ]
  }

  @Test(arguments: [Samples.blocking, Samples.blockedBy, Samples.muted])
  func aBlockOrAMuteLeavesAPostOutInWhateverRoleItsAccountIs(_ state: String) async throws {
    let items = Self.entries(with: state)
    let (feeds, transport) = try Samples.feeds { _ in
      Samples.page(items + [Samples.item(Samples.post(1, 9, at: 70))])
    }
    var reader = feeds.read(.timeline())
    #expect(try await reader.texts() == ["post 9"])
    let coverage = reader.coverage
    #expect((state == Samples.muted ? coverage.leftOut.muted : coverage.leftOut.blocked) == items.count)
    #expect(transport.requests.count == 1, "the answer says it, so nothing is asked")
  }

  @Test func aBlockThatTheServerHidesLeavesThePostOut() async throws {
    let blocked = #"{"uri":"\#(Samples.uri(3, 1))","blocked":true,"author":{"did":"\#(Accounts.did(3))"}}"#
    let embed = #","embed":{"$type":"app.bsky.embed.record#view","record":\#(blocked)}"#
    let (feeds, _) = try Samples.feeds { _ in
      Samples.page([
        Samples.item(Samples.post(1, 1, at: 80), Self.reply(to: blocked)),
        Samples.item(Samples.post(1, 2, at: 70, more: embed)),
      ])
    }
    var reader = feeds.read(.timeline())
    #expect(try await reader.texts().isEmpty)
    #expect(reader.coverage.leftOut.blocked == 2)
  }

  @Test func aMuteOfRepostsOrQuotesLeavesOutOnlyThose() async throws {
    let state = #"{"muted":false,"mutedOnlyReposts":true,"mutedOnlyQuoteposts":true,"blockedBy":false}"#
    let other = Samples.profile(3, viewer: state)
    let (feeds, _) = try Samples.feeds { _ in
      Samples.page([
        Samples.item(Self.plain, Self.repost(other)),
        Samples.item(Samples.post(3, 2, at: 80, as: other, more: Self.quote(Samples.profile(4)))),
        Samples.item(Samples.post(3, 3, at: 70, as: other)),
      ])
    }
    var reader = feeds.read(.timeline())
    #expect(try await reader.texts() == ["post 3"])
    #expect(reader.coverage.leftOut.muted == 2)
  }

  @Test func withoutAViewerNothingIsLeftOut() async throws {
    let items = Self.entries(with: Samples.blocking)
    let (feeds, _) = try Samples.feeds(signedIn: false) { _ in Samples.page(items) }
    var reader = feeds.read(.author(.did(Accounts.did(1))))
    #expect(try await reader.texts().count == items.count)
  }

  /// Unknown is not no.
  @Test func whereTheAnswerIsSilentProfilesAreAskedAndTheUnknownIsLeftOut() async throws {
    let items = (1...4).map { account in
      Samples.item(
        Samples.post(account, account, at: 80 - Int64(account), as: Samples.profile(account, viewer: nil)))
    }
    let (feeds, transport) = try Samples.feeds { request in
      guard request.method == "app.bsky.actor.getProfiles" else { return Samples.page(items) }
      let profiles = [
        Samples.profile(1), Samples.profile(2, viewer: Samples.blocking), Samples.profile(3, viewer: nil),
      ]
      return TransportResponse(#"{"profiles":[\#(profiles.joined(separator: ","))]}"#)
    }
    var reader = feeds.read(.timeline())
    #expect(try await reader.texts() == ["post 1"])
    #expect(reader.coverage.leftOut.blocked == 1 && reader.coverage.leftOut.unknown == 2)
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
  }

  @Test func anEntryThatCannotBeReadIsCounted() async throws {
    let (feeds, _) = try Samples.feeds { _ in
      Samples.page([#"{"post":{}}"#, Samples.item(Self.plain), "7"], cursor: "more")
    }
    var reader = feeds.read(.timeline())
    #expect(try await reader.next(most: 5)?.count == 1)
    #expect(reader.coverage.unreadable == 2)
  }

  // MARK: Kinds

  @Test func repliesAndRepostsCanBeLeftOut() async throws {
    let (feeds, _) = try Samples.feeds { _ in
      let reply =
        #","reply":{"root":{"uri":"\#(Samples.uri(4, 1))","cid":"x"},"parent":{"uri":"\#(Samples.uri(4, 1))","cid":"x"}}"#
      return Samples.page([
        Samples.item(Samples.post(1, 1, at: 80)), Samples.item(Samples.post(1, 2, at: 70, record: reply)),
        Samples.item(Samples.post(5, 3, at: 60), Self.repost(Samples.profile(1))),
      ])
    }
    for (skipped, expected) in [
      (.replies, ["post 1", "post 3"]), (.reposts, ["post 1", "post 2"]), ([.replies, .reposts], ["post 1"]),
      ([], ["post 1", "post 2", "post 3"]),
    ] as [(FeedItem.Kinds, [String])] {
      var reader = feeds.read(.timeline(), skipping: skipped)
      #expect(try await reader.texts() == expected)
    }
  }

  @Test func aPartOfTheTimelineIsThatOfTheSenders() async throws {
    let (feeds, _) = try Samples.feeds { _ in
      Samples.page([
        Samples.item(Samples.post(1, 1, at: 80)), Samples.item(Samples.post(2, 2, at: 70)),
        Samples.item(Samples.post(2, 3, at: 60), Self.repost(Samples.profile(1))),
        Samples.item(Samples.post(1, 4, at: 50), Self.repost(Samples.profile(2))),
      ])
    }
    var reader = feeds.read(.timeline(of: [Accounts.did(1)]))
    #expect(try await reader.texts() == ["post 1", "post 3"])
  }

  // MARK: Cursors

  @Test func withoutAnEntryThereIsNowhereToContinue() async throws {
    let (feeds, _) = try Samples.feeds { _ in
      Samples.page((1...5).map { Samples.item(Samples.post(2, $0, at: 80)) }, cursor: "more")
    }
    var reader = feeds.read(.timeline(of: [Accounts.did(1)]))
    #expect(reader.cursor == nil)
    #expect(try await reader.next(most: 2)?.isEmpty == true)
    #expect(reader.cursor == nil)
    #expect(try await reader.next(most: 9)?.isEmpty == true)
    #expect(reader.cursor?.description == "timeline..more")
  }

  /// Pages of ten, numbered from the newest; `added` are newer than all of them.
  private static func pages(_ request: RequestQuery, added: Int = 0, of count: Int = 25) -> TransportResponse
  {
    let start = request["cursor"].first.flatMap { Int($0) } ?? -added
    let numbers = start..<min(count, start + 10)
    return Samples.page(
      numbers.map { Samples.item(Samples.post(1, $0 + 100, at: 1_000 - Int64(($0 + 100) / 2))) },
      cursor: numbers.upperBound < count ? "\(numbers.upperBound)" : nil)
  }

  @Test(arguments: [1, 3, 10, 24], [0, 4, 13])
  func aFeedContinuesWhereItEndedAlsoWhenItHasGrown(read: Int, added: Int) async throws {
    let all = (0..<25).map { "post \($0 + 100)" }
    let (feeds, _) = try Samples.feeds { Self.pages($0) }
    var first = feeds.read(.timeline())
    #expect(try await first.texts(read, by: 3) == Array(all.prefix(read)))
    let cursor = try #require(first.cursor)
    #expect(FeedCursor(cursor.description) == cursor)
    let (later, _) = try Samples.feeds { Self.pages($0, added: added) }
    var second = later.read(.timeline(), from: cursor)
    #expect(try await second.texts() == Array(all.dropFirst(read)))
    #expect(second.cursor == nil)
  }

  /// How the order of an AppView differs from that of dates; see the reports of other clients.
  enum Order: String, CaseIterable {
    /// Posts of one thread, whose dates differ by microseconds.
    case microseconds
    /// One imported post with an old date among new ones.
    case backdated
    /// One date for all.
    case oneDate
    /// Four posts of one date, across the end of a page.
    case acrossPages

    func date(of number: Int) -> Int64 {
      let minute = 1_000_000 - Int64(number) * 60_000_000
      return switch self {
      case .microseconds: 1_000_000 - Int64(number / 8) * 60_000_000 + Int64(number % 8 * 7)
      case .backdated: number == 6 ? -250_000_000_000_000 : minute
      case .oneDate: 0
      case .acrossPages: (48..<52).contains(number) ? -2_880_000_000 : minute
      }
    }
  }

  @Test(arguments: Order.allCases, CaseSample.isWhole ? [1, 2, 3, 5, 7, 14, 51] : [2, 7, 14, 51])
  func eachPostIsHandedOutOnceWhateverTheOrderOfPages(_ order: Order, limit: Int) async throws {
    let (feeds, _) = try Samples.feeds { request in
      let start = request["cursor"].first.flatMap { Int($0) } ?? 0
      let numbers = start..<min(120, start + 50)
      return Samples.page(
        numbers.map { Samples.item(Samples.post(1, $0, at: 0, dated: order.date(of: $0))) },
        cursor: numbers.upperBound < 120 ? "\(numbers.upperBound)" : nil)
    }
    var found: [String] = []
    var cursor: FeedCursor?
    repeat {
      var reader = feeds.read(.timeline(), from: cursor)
      found += try await reader.texts(limit, by: limit)
      cursor = reader.cursor.map(\.description).flatMap { FeedCursor($0) }
    } while cursor != nil && found.count <= 120
    #expect(found == (0..<120).map { "post \($0)" })
  }

  /// The place is found by those before the post that was deleted.
  @Test(arguments: [1, 2]) func aFeedContinuesAfterItsLastPostsWereDeleted(deleted: Int) async throws {
    let (feeds, _) = try Samples.feeds { Self.pages($0) }
    var first = feeds.read(.timeline())
    _ = try await first.texts(7, by: 7)
    let (later, _) = try Samples.feeds { _ in
      Samples.page(
        (0..<10).filter { !(7 - deleted..<7).contains($0) }.map {
          // Only the order of the page says which come first.
          Samples.item(Samples.post(1, $0 + 100, at: 500))
        })
    }
    var second = later.read(.timeline(), from: first.cursor)
    #expect(try await second.texts() == ["post 107", "post 108", "post 109"])
  }

  @Test func aMergedFeedContinuesOnAnotherMachine() async throws {
    let answer: @Sendable (RequestQuery) -> TransportResponse = { request in
      let author = (1...5).first { request["actor"] == ["\(Accounts.did($0))"] } ?? 0
      let start = request["cursor"].first.flatMap { Int($0) } ?? 0
      let limit = request["limit"].first.flatMap { Int($0) } ?? 50
      let numbers = start..<min(40, start + limit)
      return Samples.page(
        numbers.map {
          Samples.item(Samples.post(author, $0, at: 1_000_000 - Int64($0 * author * author) / 3, as: nil))
        }, cursor: numbers.upperBound < 40 ? "\(numbers.upperBound)" : nil)
    }
    let source = FeedSource.authors(Accounts.dids(1..<6))
    var whole = try Samples.feeds(answer).feeds.read(source)
    var all: [ATURI] = []
    while let items = try await whole.next(most: 100) { all += items.map(\.post.uri) }
    #expect(Set(all).count == 200 && all.count == 200)
    var pieces: [ATURI] = []
    var cursor: FeedCursor?
    repeat {
      var reader = try Samples.feeds(answer).feeds.read(source, from: cursor)
      var left = 33
      while left > 0, let items = try await reader.next(most: left) {
        pieces += items.map(\.post.uri)
        left -= items.count
      }
      cursor = reader.cursor.map(\.description).flatMap { FeedCursor($0) }
    } while cursor != nil && pieces.count < 500
    #expect(pieces == all)
  }

  @Test(arguments: [
    "", "timeline", "timeline.", "timeline..", "x.1+1", "authors.1", "authors.1+0", "authors.a+1",
    "list.1+-2.p",
    "list.1+2+.p", "list.1+2+12345.p", "list.1+2+12345678-.p", "list.1+2+1234567g.p", "list.1+2+12345678+1.p",
  ])
  func anotherTextIsNoCursor(_ text: String) { #expect(FeedCursor(text) == nil) }

  @Test(arguments: [
    "timeline.1767225600000000+2.2026-01-01T00:00:00Z::abc.def", "list.5+1+0a1b2c3d-00000001.p",
    "authors.-5+1", "list..abc",
  ])
  func aCursorIsItsText(_ text: String) { #expect(FeedCursor(text)?.description == text) }

  /// Where the timeline turns out to take more calls.
  @Test(arguments: [1, 4, 7])
  func aTimelineContinuesInTheFeedsOfItsAccounts(read: Int) async throws {
    // Three accounts post in turn, two entries at each moment; of two of them the posts are wanted.
    let moments = (0..<30).map { (author: $0 % 3 + 1, number: $0, at: 1_000 - Int64($0 / 2)) }
    let (feeds, _) = try Samples.feeds { request in
      let author = (1...3).first { request["actor"] == ["\(Accounts.did($0))"] }
      return Samples.page(
        moments.filter { author == nil || $0.author == author }.map {
          Samples.item(Samples.post($0.author, $0.number, at: $0.at))
        })
    }
    let authors = Accounts.dids(1..<3)
    var whole = feeds.read(.authors(authors))
    let all = try await whole.texts()
    #expect(all.count == 20)
    var timeline = feeds.read(.timeline(of: Set(authors)))
    let first = try await timeline.texts(read, by: 1)
    var rest = feeds.read(.authors(authors), from: timeline.cursor(in: .authors))
    #expect(Set(first + (try await rest.texts())) == Set(all))
    var again = feeds.read(.authors(authors), from: timeline.cursor(in: .authors))
    #expect(try await again.texts().count == all.count - read)
  }

  // MARK: Accounts

  @Test func accountsThatCannotBeReadAreCountedAndTheOthersAreShown() async throws {
    let (feeds, transport) = try Samples.feeds { request in
      switch request["actor"] {
      case ["\(Accounts.did(1))"]: Samples.page([Samples.item(Samples.post(1, 1, at: 80))])
      case ["\(Accounts.did(2))"]: .xrpcError(400, "InvalidRequest", "Profile not found")
      case ["\(Accounts.did(3))"]: .xrpcError(400, "BlockedByActor", "Requester is blocked by actor")
      default: .xrpcError(502, "UpstreamFailure", "no")
      }
    }
    var reader = feeds.read(.authors(Accounts.dids(1..<5)))
    #expect(try await reader.texts() == ["post 1"])
    let coverage = reader.coverage
    #expect(coverage.accountsGone == 1 && coverage.accountsBlocked == 1 && coverage.accountsUnread == 1)
    #expect(coverage.fault != nil)
    #expect(transport.requests.allSatisfy { RequestQuery($0)["filter"] == ["posts_with_replies"] })
    #expect(transport.requests.allSatisfy { RequestQuery($0)["limit"] == ["15"] })
  }

  @Test func theErrorsOfASingleFeedAreThrown() async throws {
    for (answer, code) in [
      (.xrpcError(400, "InvalidRequest", "Profile not found"), .actorNotFound),
      (.xrpcError(400, "BlockedActor", "Requester has blocked actor"), .hiddenByBlock),
      (.xrpcError(400, "UnknownList", "List not found"), .listNotFound),
    ] as [(TransportResponse, RelationshipError.Code)] {
      let (feeds, _) = try Samples.feeds { _ in answer }
      let list = try #require(ATURI("at://\(Accounts.did(1))/app.bsky.graph.list/l"))
      var reader = feeds.read(code == .listNotFound ? .list(list) : .author(.did(Accounts.did(1))))
      let error = await #expect(throws: RelationshipError.self) { _ = try await reader.next(most: 5) }
      #expect(error?.code == code)
    }
  }
}
