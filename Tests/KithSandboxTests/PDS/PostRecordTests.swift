// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct PostRecordTests {
  private let post = App.Bsky.Feed.Post.nsid

  @Test func listsThePostsOfTheFeed() throws {
    let bob = try PDSQuestions(.bob)
    let records = try bob.records(post, limit: 100).flatMap(\.records)
    let feed = try bob.questions.pages(
      {
        try bob.questions.ask(
          App.Bsky.Feed.GetAuthorFeed.self, .init(actor: .did(bob.did), limit: 100, cursor: $0))
      }, cursor: \.cursor
    ).flatMap(\.feed).map(\.post)
    #expect(records.map(\.uri) == feed.map(\.uri))
    #expect(records.map(\.cid) == feed.map(\.cid))
    #expect(records.map(\.value) == feed.map(\.record))
  }

  @Test func showsAPostFromItsTimeOn() throws {
    let alice = try PDSQuestions()
    let page = try alice.questions.ask(
      Com.Atproto.Repo.ListRecords.self, .init(repo: .did(alice.did), collection: post, limit: 1))
    let newest = try #require(page.records.first)
    func read() throws -> Com.Atproto.Repo.GetRecord.Output {
      try alice.questions.ask(
        Com.Atproto.Repo.GetRecord.self,
        .init(
          repo: .did(alice.did), collection: post, rkey: try #require(newest.uri.recordKey)))
    }
    #expect(try read().value == newest.value)
    alice.time.withLock { $0 = newest.uri.recordKey?.tid.map { $0.instant - .microseconds(1) } ?? 0 }
    #expect(throws: XRPCFault.self) { try read() }
  }

  @Test func keepsWrittenPosts() throws {
    let niaj = try PDSQuestions(.niaj)
    #expect(try niaj.records(post).flatMap(\.records).isEmpty)
    let written = try niaj.create(
      ["$type": "app.bsky.feed.post", "text": "x", "createdAt": "2025-06-01T00:00:00.000Z"], in: post)
    #expect(try niaj.records(post).flatMap(\.records).map(\.uri) == [written.uri])
    let described = try niaj.questions.ask(
      Com.Atproto.Repo.DescribeRepo.self, .init(repo: .did(niaj.did)))
    #expect(described.collections.contains(post))
  }
}
