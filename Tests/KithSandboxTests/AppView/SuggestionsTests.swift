// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import Testing

@testable import KithSandbox

/// What the sandbox suggests, and which threads it shows, with the behaviour of production.
@Suite struct SuggestionsTests {
  private typealias Actor = App.Bsky.Actor

  @Test func suggestionsForAViewerLeaveOutWhomItFollowsAndBlocks() throws {
    let alice = try PDSQuestions()
    let found = try alice.ask(Actor.GetSuggestions.self, .init(limit: 100)).actors
    #expect(found.count > 20)
    for actor in found {
      #expect(actor.viewer?.following == nil && actor.viewer?.blocking == nil)
      #expect(actor.viewer?.blockedBy != true && actor.did != alice.did)
    }
  }

  @Test func signedOutEverybodyGetsTheSameInChangingOrder() throws {
    let questions = try PDSQuestions().questions
    let found = try questions.ask(Actor.GetSuggestions.self, .init(limit: 10)).actors
    #expect(found.prefix(2).map(\.handle.description) == ["carol.test", "grace.test"])
    #expect(found.allSatisfy { $0.viewer == nil })
  }

  @Test func similarAccountsMayBeFollowedAlready() throws {
    let alice = try PDSQuestions()
    let found = try alice.ask(
      App.Bsky.Graph.GetSuggestedFollowsByActor.self, .init(actor: .did(alice.questions.did(.bob)))
    ).suggestions
    #expect((1...20).contains(found.count))
    #expect(found.contains { $0.viewer?.following != nil })
    #expect(found.allSatisfy { $0.viewer?.blocking == nil && $0.did != alice.did })
  }

  @Test func detailedProfilesCountTheFollowersThatTheViewerFollows() throws {
    let alice = try PDSQuestions()
    let bob = try alice.ask(
      Actor.GetProfile.self, .init(actor: .did(alice.questions.did(.bob)))
    ).viewer?.knownFollowers
    #expect(try #require(bob).count >= bob?.followers.count ?? 0 && (bob?.followers.count ?? 9) <= 5)
    let page = try alice.ask(Actor.SearchActors.self, .init(q: "bob")).actors
    #expect(page.first?.viewer?.knownFollowers == nil)
  }

  @Test func aThreadHasTheRepliesAndWhatIsAboveThem() throws {
    let alice = try PDSQuestions()
    let feed = try alice.questions.ask(
      App.Bsky.Feed.GetAuthorFeed.self, .init(actor: .did(alice.did), limit: 100)
    ).feed
    let reply = try #require(
      feed.first { item in
        if case .postView? = item.reply?.parent { true } else { false }
      })
    typealias Thread = App.Bsky.Feed.GetPostThread
    guard
      case .threadViewPost(let below) = try alice.questions.ask(Thread.self, .init(uri: reply.post.uri))
        .thread,
      case .threadViewPost(let parent)? = below.parent
    else {
      Issue.record("no thread with a parent")
      return
    }
    guard
      case .threadViewPost(let above) = try alice.questions.ask(
        Thread.self, .init(uri: parent.post.uri, depth: 1)
      ).thread
    else {
      Issue.record("no thread of the parent")
      return
    }
    let replies = (above.replies ?? []).compactMap { element -> ATURI? in
      if case .threadViewPost(let thread) = element { thread.post.uri } else { nil }
    }
    #expect(replies.contains(reply.post.uri))
    #expect(throws: XRPCFault.self) {
      try alice.questions.ask(
        Thread.self,
        .init(uri: try ATURI(parsing: "at://\(alice.did)/app.bsky.feed.post/3jui7kd54zh2y")))
    }
  }
}
