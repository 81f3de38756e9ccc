// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithOperations

/// What another program than the command changes, each thing in about ten lines: it knows operations, and answers what
/// they ask.
@Suite struct SecondProgramTests {
  private let network = FaultyNetwork(.reference)

  /// A program that answers yes to questions of the kinds that it expects.
  private func run<Source: ChangeSource>(
    _ source: Source, as user: ServedUser, yesTo codes: Set<String> = []
  ) async throws -> OperationRun<Change<Source>> {
    try await user.run(Change(source)) { codes.contains($0.code) }
  }

  @Test func publishesAPostWithAPicture() async throws {
    let alice = try await ServedUser(on: network)
    var post = PublishPosts("The sea today, with @bob.test")
    post.pictures = [.init(try ChangeTests.picture(), alt: "Waves below a grey sky")]
    post.replies = .only([.rule(.followers)])
    let run = try await run(post, as: alice, yesTo: ["change"])
    #expect(run.outcome.ending == .done && run.rows.map(\.state) == [.done])
    let posts = network.records(of: try alice.did("alice"), in: try NSID(parsing: "app.bsky.feed.post"))
    let new = try #require(posts.first { $0.value["text"]?.string?.hasPrefix("The sea") == true })
    #expect(new.value["embed"]?["images"]?.array?.first?["alt"]?.string == "Waves below a grey sky")
  }

  @Test func importsAFile() async throws {
    let alice = try await ServedUser(on: network)
    let names = ["judy", "mallory"]
    let rows = try names.map { #"{"kind":"block","did":"\#(try alice.did($0))"}"# }.joined(
      separator: "\n")
    let files = ImportFiles([InMemorySource(rows + "\n", named: "blocks.ndjson")])
    let run = try await run(files, as: alice, yesTo: ["change"])
    #expect(run.outcome.ending == .done && run.rows.map(\.state) == [.done, .done], "\(run.notes)")
    let blocked = network.records(of: try alice.did("alice"), in: .block).compactMap {
      $0.value["subject"]?.string
    }
    #expect(Set(blocked).isSuperset(of: try names.map { "\(try alice.did($0))" }))
  }

  @Test func asksForFriendship() async throws {
    let (alice, judy) = (try await ServedUser(on: network), try await ServedUser("judy", on: network))
    let request = ChangeFriends(.request(FriendRequestDraft(.friend)), accounts("judy"))
    #expect(try await run(request, as: alice).rows.map(\.state) == [.done])
    // What the other side accepts, it has to see first.
    let accept = ChangeFriends(.accept, accounts("alice"))
    let declined = try await run(accept, as: judy)
    #expect(declined.outcome.ending == .declined && declined.questions.map(\.code) == ["change"])
    #expect(try await run(accept, as: judy, yesTo: ["change"]).rows.map(\.state) == [.done])
    let friends = try await alice.run(ListFriends(of: alice.actor("alice"))).rows
    #expect(try friends.contains { try $0.view.account == alice.did("judy") })
  }

  @Test func keepsAListEqual() async throws {
    let (alice, judy) = (try await ServedUser(on: network), try await ServedUser("judy", on: network))
    _ = try await run(ChangeFriends(.request(FriendRequestDraft(.friend)), accounts("judy")), as: alice)
    _ = try await run(ChangeFriends(.accept, accounts("alice")), as: judy, yesTo: ["change"])
    let create = CreateList(ListDraft(name: "Friends", purpose: .curate), with: accounts("dave", "erin"))
    #expect(try await run(create, as: alice).outcome.tally.counts[.done] == 3)
    let run = try await run(KeepFriendList("Friends"), as: alice, yesTo: ["change"])
    guard case .change(let question)? = run.questions.first, case .keepsEqual("Friends")? = question.concern
    else {
      Issue.record("asked otherwise: \(run.questions)")
      return
    }
    #expect(run.rows.map(\.verb).suffix(2) == ["remove from list", "remove from list"])
    #expect(run.outcome.ending == .done)
    #expect(try await self.run(KeepFriendList("Friends"), as: alice).outcome.job == nil)
  }

  /// Another process, a day's work later, approves exactly what was shown.
  @Test func approvesAProposedBlockOf300() async throws {
    let network = FaultyNetwork(.reference, accounts: 400)
    let alice = try await ServedUser(on: network)
    let names = network.accounts.accounts.dropFirst(50).prefix(300).map {
      TargetStream.Origin.argument("\($0.did)")
    }
    var wave = Change(ChangeAccounts(.block(), AccountChoice(TargetStream(origins: names))))
    wave.mode = .propose
    let proposed = try await alice.run(wave).outcome
    #expect(proposed.tally.counts[.planned] == 300 && proposed.hasDone == false)
    network.clock.advance(by: .seconds(8 * 3_600))
    let job = try #require(try await alice.run(ListJobs()).rows.first { $0.state == "proposed" })
    let approve = ApproveJob(job.summary.job.id, digest: proposed.proposed)
    let approved = try await alice.run(approve)
    #expect(approved.outcome.ending == .done && approved.outcome.tally.counts[.done] == 300)
    #expect(approved.questions.isEmpty)
  }

  private func accounts(_ names: String...) -> AccountChoice {
    AccountChoice(TargetStream(origins: names.map { .argument("\($0).test") }))
  }
}
