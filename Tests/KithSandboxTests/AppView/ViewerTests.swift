// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

/// What the AppView shows to a viewer with a session.
@Suite struct ViewerTests {
  private typealias Graph = App.Bsky.Graph

  private func viewer(
    _ alice: PDSQuestions, of member: NamedAccount
  ) throws -> App.Bsky.Actor.Defs.ViewerState {
    let profiles = try alice.ask(
      App.Bsky.Actor.GetProfiles.self, .init(actors: [.did(alice.questions.did(member))])
    ).profiles
    return try #require(profiles.first?.viewer)
  }

  private func muted(_ alice: PDSQuestions) throws -> [String] {
    try alice.ask(Graph.GetMutes.self, .init()).mutes.map(\.handle.description)
  }

  @Test func showsNoViewerStateWithoutASession() throws {
    let alice = try PDSQuestions()
    let bob = try alice.questions.ask(
      App.Bsky.Actor.GetProfile.self, .init(actor: .did(alice.questions.did(.bob))))
    #expect(bob.viewer == nil)
    let own = try alice.ask(App.Bsky.Actor.GetProfile.self, .init(actor: .did(alice.did)))
    #expect(own.viewer == nil)
    #expect(alice.questions.raw("/xrpc/app.bsky.graph.getMutes").status == 401)
    #expect(alice.questions.raw("/xrpc/app.bsky.graph.getBlocks", token: "x").status == 400)
  }

  /// Q5, Q7, Q8
  @Test func blocksHideFollowsAndListsAreBlocksToo() throws {
    let alice = try PDSQuestions()
    let bob = try viewer(alice, of: .bob)
    #expect(bob.following != nil && bob.followedBy != nil && bob.blocking == nil && bob.blockedBy == false)
    let erin = try viewer(alice, of: .erin)
    #expect(erin.followedBy == nil && erin.blocking?.collection == Graph.Block.nsid)
    #expect(erin.blockingByList == nil)
    let frank = try viewer(alice, of: .frank)
    #expect(frank.blockedBy == true && frank.following == nil && frank.blocking == nil)
    let heidi = try viewer(alice, of: .heidi)
    let spam = SandboxQuestions.network.uri(ofList: 0)
    #expect(heidi.blocking == spam && heidi.blockingByList?.uri == spam)
    #expect(try viewer(alice, of: .ivan).blockedBy == true)
  }

  /// Q9: a second mute replaces the first including its scope, and scoped ones are not listed.
  @Test func mutesHaveAScope() throws {
    let alice = try PDSQuestions()
    let bob = alice.questions.did(.bob)
    _ = try alice.call(Graph.MuteActor.self, .init(actor: .did(bob)))
    _ = try alice.call(Graph.MuteActor.self, .init(actor: .handle(try Handle(parsing: "carol.test"))))
    #expect(try muted(alice) == ["carol.test", "bob.test"])
    #expect(try viewer(alice, of: .bob).muted == true)
    _ = try alice.call(Graph.MuteActor.self, .init(actor: .did(bob), onlyReposts: true))
    let state = try viewer(alice, of: .bob)
    #expect(state.muted == false && state.mutedOnlyReposts == true && state.mutedOnlyQuoteposts == nil)
    #expect(try muted(alice) == ["carol.test"])
    _ = try alice.call(Graph.UnmuteActor.self, .init(actor: .did(bob)))
    #expect(try viewer(alice, of: .bob).mutedOnlyReposts == nil)
    // A DID is used as it is, whether it exists or not; a handle must exist.
    _ = try alice.call(
      Graph.MuteActor.self, .init(actor: .did(try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))))
    #expect(try muted(alice) == ["carol.test"])
    #expect(throws: XRPCFault.self) {
      try alice.call(Graph.MuteActor.self, .init(actor: .handle(try Handle(parsing: "nobody.test"))))
    }
    // Another viewer does not see it.
    let session = try alice.questions.call(
      Com.Atproto.Server.CreateSession.self, .init(identifier: "dave.test", password: "pw-dave"))
    #expect(try alice.questions.ask(Graph.GetMutes.self, .init(), token: session.accessJwt).mutes.isEmpty)
  }

  /// Q9: unmuting an account does not affect the mute of a list.
  @Test func mutesByListEndWithTheList() throws {
    let alice = try PDSQuestions()
    let spam = SandboxQuestions.network.uri(ofList: 0)
    _ = try alice.call(Graph.MuteActorList.self, .init(list: spam))
    _ = try alice.call(Graph.UnmuteActor.self, .init(actor: .did(alice.questions.did(.mallory))))
    let mallory = try viewer(alice, of: .mallory)
    #expect(mallory.muted == true && mallory.mutedByList?.uri == spam)
    let lists = try alice.ask(Graph.GetListMutes.self, .init()).lists
    #expect(lists.map(\.uri) == [spam] && lists.first?.viewer?.muted == true)
    #expect(lists.first?.viewer?.blocked != nil)
    #expect(try muted(alice).isEmpty)
    _ = try alice.call(Graph.UnmuteActorList.self, .init(list: spam))
    #expect(try viewer(alice, of: .mallory).muted == false)
    #expect(try alice.ask(Graph.GetListBlocks.self, .init()).lists.map(\.uri) == [spam])
  }

  /// Q10
  @Test func blocksAreListedWithoutInactiveAccounts() throws {
    let alice = try PDSQuestions()
    for member in [NamedAccount.oscar, .niaj] {
      _ = try alice.create(
        [
          "$type": "app.bsky.graph.block", "subject": .string(alice.questions.did(member).description),
          "createdAt": "2025-06-01T00:00:00Z",
        ], in: Graph.Block.nsid)
    }
    let blocks = try alice.ask(Graph.GetBlocks.self, .init()).blocks.map(\.handle.description)
    #expect(blocks == ["niaj.test", "erin.test"])
    #expect(try alice.records(Graph.Block.nsid).flatMap(\.records).count == 3)
  }

  /// Q11: accounts in a block with the viewer are also left out of the pages of others.
  @Test func pagesOfOthersLeaveOutAccountsThatTheViewerBlocks() throws {
    let alice = try PDSQuestions()
    let grace = alice.questions.did(.grace)
    func followers(_ token: String?) throws -> Set<String> {
      Set(
        try alice.questions.pages(
          {
            try alice.questions.ask(
              Graph.GetFollowers.self, .init(actor: .did(grace), limit: 100, cursor: $0), token: token)
          }, cursor: \.cursor
        ).flatMap(\.followers).map(\.handle.description))
    }
    _ = try alice.create(
      [
        "$type": "app.bsky.graph.block", "subject": .string(alice.questions.did(.judy).description),
        "createdAt": "2025-06-01T00:00:00Z",
      ], in: Graph.Block.nsid)
    #expect(try followers(nil).contains("judy.test"))
    #expect(try !followers(alice.access).contains("judy.test"))
  }

  private func found(_ alice: PDSQuestions, _ text: String, token: String?) throws -> [String] {
    try alice.questions.ask(
      App.Bsky.Actor.SearchActors.self, .init(q: text, limit: 100), token: token
    ).actors.map(\.handle.description)
  }

  private func suggested(_ alice: PDSQuestions, _ text: String, token: String?) throws -> [String] {
    try alice.questions.ask(
      App.Bsky.Actor.SearchActorsTypeahead.self, .init(q: text), token: token
    ).actors.map(\.handle.description)
  }

  /// erin and heidi are blocked, the second through a list; frank and ivan block.
  @Test(arguments: ["erin", "heidi", "frank", "ivan"])
  func searchLeavesOutBlocksInBothDirections(name: String) throws {
    let alice = try PDSQuestions()
    let handle = "\(name).test"
    #expect(try found(alice, name, token: nil).contains(handle))
    #expect(try !found(alice, name, token: alice.access).contains(handle))
    #expect(try suggested(alice, name, token: nil).contains(handle))
    #expect(try !suggested(alice, name, token: alice.access).contains(handle))
    // Only the exact handle is still suggested; the profile remains visible.
    #expect(try suggested(alice, handle, token: alice.access).contains(handle))
    #expect(try !found(alice, handle, token: alice.access).contains(handle))
    let account = try #require(NamedAccount.allCases.first { $0.handle == handle })
    let state = try viewer(alice, of: account)
    #expect(state.blocking != nil || state.blockedBy == true)
  }

  @Test func suggestionsAreFewAndStartWithTheText() throws {
    let alice = try PDSQuestions()
    #expect(try suggested(alice, "@ALI", token: nil) == ["alice.test"])
    #expect(try suggested(alice, "", token: nil).isEmpty && suggested(alice, "@", token: nil).isEmpty)
    #expect(try suggested(alice, "user", token: nil).count == 10)
    #expect(try suggested(alice, "oscar", token: nil).isEmpty, "a deactivated account is not found")
  }

  @Test(arguments: [
    (NamedAccount.erin, "BlockedActor"), (.heidi, "BlockedActor"), (.frank, "BlockedByActor"),
    (.ivan, "BlockedByActor"),
  ])
  func theAuthorFeedNamesTheBlock(author: NamedAccount, name: String) throws {
    let alice = try PDSQuestions()
    typealias Feed = App.Bsky.Feed.GetAuthorFeed
    let parameters = Feed.Parameters(actor: .did(alice.questions.did(author)), limit: 5)
    let fault = #expect(throws: XRPCFault.self) { try alice.ask(Feed.self, parameters) }
    #expect(fault?.status == 400 && fault?.name == name)
    #expect(fault?.message.hasSuffix("\(alice.questions.did(author))") == true)
    _ = try alice.questions.ask(Feed.self, parameters)
    _ = try alice.ask(Feed.self, .init(actor: .did(alice.did), limit: 5))
  }

  /// In the feeds of others: no reposts of accounts with a block, and their quoted posts and parents of
  /// replies are replaced.
  @Test func feedsOfOthersShowNoPostsBehindABlock() throws {
    let alice = try PDSQuestions()
    let questions = alice.questions
    func feed(_ author: DID, _ token: String?) throws -> [App.Bsky.Feed.Defs.FeedViewPost] {
      try questions.ask(
        App.Bsky.Feed.GetAuthorFeed.self, .init(actor: .did(author), limit: 100), token: token
      ).feed
    }
    let bob = questions.did(.bob)
    let seen = try feed(bob, alice.access)
    #expect(try seen.map(\.post.uri) == feed(bob, nil).map(\.post.uri))
    // Blocks everyone whose posts appear in bob's feed.
    let others = Set(seen.flatMap(\.authors)).subtracting([bob, alice.did])
    #expect(!others.isEmpty)
    for other in others {
      _ = try alice.create(
        [
          "$type": "app.bsky.graph.block", "subject": .string("\(other)"),
          "createdAt": "2025-06-01T00:00:00Z",
        ], in: Graph.Block.nsid)
    }
    let rest = try feed(bob, alice.access)
    #expect(rest.allSatisfy { $0.post.author.did == bob })
    #expect(Set(rest.flatMap(\.authors)).intersection(others).isEmpty)
    #expect(Set(rest.flatMap(\.blocked)).isSubset(of: others) && rest.contains { !$0.blocked.isEmpty })
  }

  @Test func reportsAreKept() throws {
    let alice = try PDSQuestions()
    let report = try alice.call(
      Com.Atproto.Moderation.CreateReport.self,
      .init(
        reasonType: .reasonSpam, reason: "Sells whales.",
        subject: .repoRef(.init(did: alice.questions.did(.mallory)))))
    #expect(report.id == 1 && report.reportedBy == alice.did && report.reasonType == .reasonSpam)
    #expect(alice.questions.origin.live.tally.reports == 1)
    let long = #expect(throws: XRPCFault.self) {
      try alice.call(
        Com.Atproto.Moderation.CreateReport.self,
        .init(
          reasonType: .reasonSpam, reason: String(repeating: "a", count: 2_001),
          subject: .repoRef(.init(did: alice.did))))
    }
    #expect(long?.status == 400)
  }
}

extension App.Bsky.Feed.Defs.FeedViewPost {
  /// The authors of the posts that it shows.
  fileprivate var authors: [DID] {
    var authors = [post.author.did]
    if case .postView(let parent)? = reply?.parent { authors.append(parent.author.did) }
    if case .recordView(let view)? = post.embed, case .viewRecord(let quoted) = view.record {
      authors.append(quoted.author.did)
    }
    return authors
  }

  /// The authors of the posts that a block hides.
  fileprivate var blocked: [DID] {
    var authors: [DID] = []
    if case .blockedPost(let parent)? = reply?.parent { authors.append(parent.author.did) }
    if case .recordView(let view)? = post.embed, case .viewBlocked(let quoted) = view.record {
      authors.append(quoted.author.did)
    }
    return authors
  }
}
