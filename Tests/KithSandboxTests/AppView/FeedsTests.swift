// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

/// Timelines and feeds of lists: what they hide, and how they are paged.
@Suite struct FeedsTests {
  private typealias Feed = App.Bsky.Feed

  private func pages(
    _ page: (_ cursor: String?) throws -> (cursor: String?, feed: [Feed.Defs.FeedViewPost])
  ) throws -> [Feed.Defs.FeedViewPost] {
    var (cursor, items, count) = (String?.none, [Feed.Defs.FeedViewPost](), 0)
    repeat {
      let next = try page(cursor)
      items += next.feed
      cursor = next.cursor
      count += 1
    } while cursor != nil && count < 5
    return items
  }

  private func moment(_ item: Feed.Defs.FeedViewPost) -> Instant {
    if case .reasonRepost(let reason)? = item.reason { return reason.indexedAt.instant }
    return item.post.indexedAt.instant
  }

  @Test func aTimelineHasTheOwnPostsAndThoseOfFollowsNewestFirst() throws {
    let alice = try PDSQuestions()
    let items = try pages { cursor in
      let page = try alice.ask(Feed.GetTimeline.self, .init(limit: 40, cursor: cursor))
      return (page.cursor, page.feed)
    }
    #expect(items.count == 200)
    #expect(items.map(moment) == items.map(moment).sorted(by: >))
    #expect(Set(items.map { "\($0.post.uri) \(moment($0))" }).count == items.count)
    #expect(items.contains { $0.post.author.did == alice.did })
    #expect(items.contains { $0.reason != nil })
    for item in items {
      let state = item.post.author.viewer
      #expect(state?.blocking == nil && state?.blockedBy != true && state?.muted != true)
    }
    #expect(alice.questions.raw("/xrpc/app.bsky.feed.getTimeline").status == 401)
  }

  @Test func aMuteTakesAnAuthorOutOfTheTimeline() throws {
    let alice = try PDSQuestions()
    let bob = alice.questions.did(.bob)
    func authors() throws -> Set<DID> {
      Set(try alice.ask(Feed.GetTimeline.self, .init(limit: 100)).feed.map(\.post.author.did))
    }
    #expect(try authors().contains(bob))
    _ = try alice.call(App.Bsky.Graph.MuteActor.self, .init(actor: .did(bob)))
    #expect(try !authors().contains(bob))
  }

  @Test func aListHasPostsOfItsMembersAndNoReposts() throws {
    let questions = try PDSQuestions().questions
    let readers = SandboxQuestions.network.uri(ofList: NetworkList.Plot.readers.rawValue)
    var (members, cursor) = (Set<DID>(), String?.none)
    repeat {
      let page = try questions.ask(
        App.Bsky.Graph.GetList.self, .init(list: readers, limit: 100, cursor: cursor))
      members.formUnion(page.items.map(\.subject.did))
      cursor = page.cursor
    } while cursor != nil
    let feed = try questions.ask(Feed.GetListFeed.self, .init(list: readers, limit: 50)).feed
    #expect(feed.count == 50)
    #expect(feed.allSatisfy { $0.reason == nil && members.contains($0.post.author.did) })
    #expect(throws: XRPCFault.self) {
      try questions.ask(
        Feed.GetListFeed.self,
        .init(list: try ATURI(parsing: "at://\(questions.did(.bob))/app.bsky.graph.list/none")))
    }
  }

  @Test func aCursorOfAnotherFeedGetsAnEmptyPage() throws {
    let alice = try PDSQuestions()
    let page = try alice.ask(Feed.GetTimeline.self, .init(cursor: "1::2"))
    #expect(page.feed.isEmpty && page.cursor == nil)
    #expect(throws: XRPCFault.self) { try alice.ask(Feed.GetTimeline.self, .init(cursor: "x")) }
  }
}
