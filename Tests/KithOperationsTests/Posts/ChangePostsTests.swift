// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import Testing

/// Deleting posts, and reacting to them.
@Suite struct ChangePostsTests {
  private let alice: ServedUser

  init() async throws { alice = try await ServedUser(on: FaultyNetwork(accounts: 60)) }

  @Test func aDeletedPostComesBackUnderItsKey() async throws {
    let post = try #require(try await alice.confirmed(PublishPosts("hello")).rows.first?.subject)
    let asked = try await alice.run(Change(DeletePosts([post])))
    #expect(asked.outcome.ending == .declined && asked.questions.map(\.code) == ["change"])
    #expect(try alice.records(.post).count == 1)
    #expect(try await alice.confirmed(DeletePosts([post])).outcome.ending == .done)
    #expect(try alice.records(.post).isEmpty)
    #expect(try await alice.confirmed(DeletePosts([post])).rows.map(\.state) == [.unchanged])
    #expect(try await alice.run(UndoJob(JobID(number: 2))).outcome.ending == .done)
    let key = try #require(try alice.records(.post).keys.first)
    #expect(post.hasSuffix("/\(key)"))
    let foreign = "\(try alice.network.post(of: "bob"))"
    let refused = try await alice.confirmed(DeletePosts([foreign]))
    #expect(refused.outcome.ending.failure == .notAllowed && refused.rows.map(\.refusal) == [.notYourPost])
  }

  @Test(arguments: [(Reaction.like, PostReaction.likes), (.repost, .reposts)])
  func aReactionIsMadeOnceAndTakenBack(reaction: Reaction, listing: PostReaction) async throws {
    let collection = try NSID(parsing: "app.bsky.feed.\(reaction)")
    let post = try alice.network.post(of: "bob")
    func states(takingBack: Bool = false) async throws -> [ChangeRow.State] {
      let run = try await alice.run(Change(ReactToPosts(reaction, takingBack: takingBack, ["\(post)"])))
      #expect(run.questions.isEmpty)
      return run.rows.map(\.state)
    }
    func undo(_ job: Int64) async throws {
      #expect(try await alice.run(UndoJob(JobID(number: job))).outcome.ending == .done)
    }
    #expect(try await states() == [.done])
    #expect(try await states() == [.unchanged])
    #expect(try alice.records(collection).count == 1)
    let accounts = try await alice.run(ListAccounts(ListingQuery(.reactions(listing, to: post)))).rows
    let own = try alice.did("alice")
    #expect(accounts.contains { $0.view.account == own })
    #expect(try await states(takingBack: true) == [.done])
    #expect(try await states(takingBack: true) == [.unchanged])
    #expect(try alice.records(collection).isEmpty)
    try await undo(2)
    #expect(try alice.records(collection).count == 1)
    // The undo of a removal makes no second record.
    #expect(try await states(takingBack: true) == [.done])
    #expect(try await states() == [.done])
    try await undo(4)
    #expect(try alice.records(collection).count == 1)
  }

  @Test func aReactionToAPostThatIsNotShownIsNotFound() async throws {
    let gone = "at://\(try alice.did("bob"))/app.bsky.feed.post/3k2yihcrp6f2c"
    let like = ReactToPosts(.like, [gone, "\(try alice.network.post(of: "bob"))"])
    #expect(try await alice.run(Change(like)).rows.map(\.state) == [.notFound, .done])
    let unlike = ReactToPosts(.like, takingBack: true, [gone])
    #expect(try await alice.confirmed(unlike).rows.map(\.state) == [.error])
  }
}
