// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithPosts

/// Threads in reading order.
@Suite struct PostThreadTests {
  typealias Samples = FeedSamples

  private static func node(_ post: String, replies: [String] = [], parent: String? = nil) -> String {
    let above = parent.map { #","parent":\#($0)"# } ?? ""
    return
      #"{"$type":"app.bsky.feed.defs#threadViewPost","post":\#(post),"replies":[\#(replies.joined(separator: ","))]\#(above)}"#
  }

  private static func hidden(_ number: Int, _ word: String) -> String {
    #"{"uri":"\#(Samples.uri(3, number))","\#(word)":true}"#
  }

  private func thread(
    signedIn: Bool = true, _ thread: String
  ) async throws -> PostThread {
    let (feeds, _) = try Samples.feeds(signedIn: signedIn) { _ in
      TransportResponse(#"{"thread":\#(thread)}"#)
    }
    return try await feeds.thread(of: try #require(ATURI(Samples.uri(1, 1))))
  }

  private func keys(_ thread: PostThread) -> [String] {
    thread.entries.map { "\($0.uri.recordKey?.description ?? "") \($0.depth)" }
  }

  @Test func answersFollowWhatTheyAnswerTheOldestFirst() async throws {
    let old = Self.node(
      Samples.post(2, 2, at: 20, more: #","replyCount":4"#), replies: [Self.node(Samples.post(3, 3, at: 90))])
    let young = Self.node(Samples.post(4, 4, at: 50))
    let above = Self.node(Samples.post(5, 6, at: 8), parent: Self.hidden(7, "notFound"))
    let thread = try await thread(
      Self.node(Samples.post(1, 1, at: 10, more: #","replyCount":2"#), replies: [young, old], parent: above))
    #expect(keys(thread) == ["p7 -2", "p6 -1", "p1 0", "p2 1", "p3 2", "p4 1"])
    #expect(thread.entries.first?.content == .gone)
    #expect(thread.entries.map(\.repliesLeft) == [0, 0, 0, 3, 0, 0])
  }

  @Test func hiddenAnswersAreCountedWithoutWhatIsBelowThem() async throws {
    let below = Self.node(Samples.post(5, 5, at: 70))
    let replies = [
      Self.hidden(2, "blocked"), Self.hidden(3, "notFound"),
      Self.node(Samples.post(4, 4, at: 30, as: Samples.profile(4, viewer: Samples.muted)), replies: [below]),
      Self.node(
        Samples.post(6, 6, at: 40, as: Samples.profile(6, viewer: Samples.blockedBy)), replies: [below]),
      Self.node(Samples.post(7, 7, at: 50)),
    ]
    let parent = Self.node(Samples.post(8, 8, at: 1, as: Samples.profile(8, viewer: Samples.muted)))
    let text = Self.node(Samples.post(1, 1, at: 10), replies: replies, parent: parent)
    let thread = try await thread(text)
    #expect(keys(thread) == ["p8 -1", "p1 0", "p7 1"])
    #expect(thread.entries.first?.content == .muted)
    #expect(thread.leftOut.blocked == 2 && thread.leftOut.muted == 1 && thread.leftOut.unknown == 0)
    // Without a viewer only the server hides anything.
    let unsigned = try await self.thread(signedIn: false, text)
    #expect(keys(unsigned) == ["p8 -1", "p1 0", "p4 1", "p5 2", "p6 1", "p5 2", "p7 1"])
  }

  @Test func aPostThatIsGoneOrHiddenIsAnError() async throws {
    for (word, code) in [("notFound", .postNotFound), ("blocked", .hiddenByBlock)]
      as [(String, RelationshipError.Code)]
    {
      let error = await #expect(throws: RelationshipError.self) { _ = try await thread(Self.hidden(1, word)) }
      #expect(error?.code == code)
    }
    let (feeds, _) = try Samples.feeds { _ in .xrpcError(400, "NotFound", "Post not found") }
    let uri = try #require(ATURI(Samples.uri(1, 1)))
    let error = await #expect(throws: RelationshipError.self) { _ = try await feeds.thread(of: uri) }
    #expect(error?.code == .postNotFound)
  }

  @Test func aThreadAsDeepAsItMayBeIsRead() async throws {
    var text = Self.node(Samples.post(1, 0, at: 1))
    for number in 1...30 { text = Self.node(Samples.post(1, number, at: 1), replies: [text]) }
    var parent: String?
    for number in 31...110 { parent = Self.node(Samples.post(1, number, at: 1), parent: parent) }
    let last = text.index(before: text.endIndex)
    let thread = try await thread(String(text[..<last]) + #","parent":\#(parent ?? "")}"#)
    #expect(thread.entries.count == 111)
  }

  @Test func anAnswerThatCannotBeReadIsADoubt() async throws {
    let thread = try await thread(Self.node(Samples.post(1, 1, at: 10), replies: [#"{"post":{}}"#]))
    #expect(keys(thread) == ["p1 0"])
    #expect(thread.fault != nil)
  }
}
