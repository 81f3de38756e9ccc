// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithPosts
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithOperations

/// What every change has in common: it asks before anything leaves this machine, and does what was asked about.
@Suite struct ChangeTests {
  private let network = FaultyNetwork(accounts: 100)

  /// The network with a list of what is called, in order.
  private struct Observed: HTTPTransport {
    let network: FaultyNetwork
    let heard = PosixMutex<[String]>([])

    var capabilities: TransportCapabilities { network.capabilities }
    /// The calls that change something on a server.
    var writes: [String] {
      heard.withLock(\.self).filter { $0.hasSuffix("uploadBlob") || $0.hasSuffix("applyWrites") }
        .map { String($0.split(separator: ".").last ?? "") }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      heard.withLock { $0.append(RequestQuery(request).method) }
      return try await network.send(request)
    }
  }

  static func picture() throws -> Picture {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../KithPostsTests/Pictures/photo.jpg")
    return try Picture(Array(try Data(contentsOf: file)))
  }

  private func accounts(_ names: String...) -> AccountChoice {
    AccountChoice(TargetStream(origins: names.map { .argument("\($0).test") }))
  }

  private func posts(_ user: ServedUser) throws -> [DataValue] {
    network.records(of: try user.did("alice"), in: try NSID(parsing: "app.bsky.feed.post")).map(\.value)
  }

  // MARK: The order

  @Test func nothingLeavesThisMachineBeforeTheAnswer() async throws {
    let alice = try await ServedUser(on: network)
    let before = try posts(alice).count
    var publish = PublishPosts("The sea")
    publish.pictures = [.init(try Self.picture(), alt: "Waves")]
    let observed = Observed(network: network)
    let declined = try await alice.run(Change(publish), over: observed)
    #expect(declined.outcome.ending == .declined && declined.rows.isEmpty && declined.questions.count == 1)
    #expect(try observed.writes == [] && posts(alice).count == before)
    let published = try await alice.run(Change(publish), over: observed) { _ in observed.writes == [] }
    #expect(published.outcome.ending == .done && published.rows.map(\.state) == [.done])
    #expect(try observed.writes == ["uploadBlob", "applyWrites"] && posts(alice).count == before + 1)
  }

  @Test func aPreviewAsksAndUploadsNothing() async throws {
    let alice = try await ServedUser(on: network)
    let observed = Observed(network: network)
    var change = Change(
      EditProfile(ProfileEdit(), avatar: try Self.picture(), banner: try Self.picture()))
    change.mode = .preview
    let run = try await alice.run(change, over: observed)
    #expect(run.questions.isEmpty && observed.writes == [] && run.rows.map(\.state) == [.planned])
    #expect(run.outcome.preview?.affected == 1 && run.outcome.job == nil && run.outcome.ending == .done)
  }

  /// A text that is refused is noticed before a picture of it leaves this machine.
  @Test func aRefusedPlanUploadsNothing() async throws {
    let alice = try await ServedUser(on: network)
    let observed = Observed(network: network)
    var edit = ProfileEdit()
    edit.name = String(repeating: "x", count: 65)
    let run = try await alice.run(Change(EditProfile(edit, avatar: try Self.picture())), over: observed)
    #expect(run.rows.map(\.state) == [.refused] && observed.writes == [])
  }

  @Test func aConfirmedChangeIsNotAskedAbout() async throws {
    let alice = try await ServedUser(on: network)
    var change = Change(ChangeAccounts(.block(), accounts("judy", "mallory", "trent")))
    change.isConfirmed = true
    let run = try await alice.run(change)
    #expect(run.questions.isEmpty && run.outcome.tally.counts[.done] == 3 && run.outcome.job != nil)
  }

  /// The server may call a picture by another type; then its name counts.
  @Test func whatTheServerCallsAPictureIsWhatThePostNames() async throws {
    struct OtherType: HTTPTransport {
      let network: FaultyNetwork
      let named = PosixMutex(false)
      let uploads = PosixMutex(0)
      var capabilities: TransportCapabilities { network.capabilities }
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        let method = RequestQuery(request).method
        if method.hasSuffix("applyWrites") {
          named.withLock { $0 = String(decoding: request.body ?? [], as: UTF8.self).contains("image/jpg") }
        }
        let answer = try await network.send(request)
        guard method.hasSuffix("uploadBlob") else { return answer }
        uploads.withLock { $0 += 1 }
        let text = String(decoding: answer.body, as: UTF8.self)
        return TransportResponse(text.replacing("image/jpeg", with: "image/jpg"))
      }
    }
    let alice = try await ServedUser(on: network)
    var publish = PublishPosts("The sea")
    publish.pictures = [.init(try Self.picture(), alt: "Waves")]
    let other = OtherType(network: network)
    let run = try await alice.run(Change(publish), over: other) { _ in true }
    // The sandbox refuses the record then, because it knows better.
    #expect(run.questions.count == 1 && other.named.withLock(\.self), "\(run.rows)")
    #expect(other.uploads.withLock(\.self) == 1)
  }

  // MARK: Questions

  @Test func whatWasFoundIsAskedAboutFromTwoOn() async throws {
    let alice = try await ServedUser(on: network)
    let found = AccountChoice(TargetStream(origins: []), and: [.followers(of: try alice.actor("bob"))])
    let mute = try await alice.run(Change(ChangeAccounts(.mute(), found)))
    guard case .change(let question)? = mute.questions.first else {
      Issue.record("not asked: \(mute.outcome)")
      return
    }
    #expect(question.plan.affected > 1 && question.rows.allSatisfy { $0.state == .planned })
    #expect(question.rows.count == min(question.plan.affected, PlannedQuestion.mostRows))
    let named = try await alice.run(Change(ChangeAccounts(.mute(), accounts("judy", "mallory"))))
    #expect(named.questions.isEmpty && named.outcome.tally.rows == 2)
  }

  @Test func theRuleOfASourceIsAskedUnlessTheCallerSetsAnother() async throws {
    let alice = try await ServedUser(on: network)
    var change = Change(ChangeAccounts(.mute(), accounts("judy")))
    #expect(change.confirmation == ConfirmationRule())
    change.confirmation = .always
    #expect(try await alice.run(change).outcome.isDeclined)
    let deleted = Change(DeleteLists(["x"]))
    #expect(deleted.confirmation == .always)
  }

  @Test func anAccountThatWantsToBeAskedIsSentARequestAfterAYes() async throws {
    let (dave, grace) = (
      try await ServedUser("dave", on: network), try await ServedUser("grace", on: network)
    )
    var policy = SetFriendPolicy.Edit()
    policy.whoMayAsk = .everyone
    #expect(try await grace.run(Change(SetFriendPolicy(policy))).rows.map(\.state) == [.done])
    let follow = Change(ChangeAccounts(.follow(), accounts("grace", "bob")))
    let declined = try await dave.run(follow)
    #expect(declined.questions.count == 1)
    guard case .requestInstead(let account, let name)? = declined.questions.first else {
      Issue.record("asked otherwise: \(declined.questions)")
      return
    }
    #expect(account == (try dave.did("grace")) && name == "grace.test")
    let states = Dictionary(declined.rows.map { ($0.input, $0.state) }) { first, _ in first }
    #expect(states["grace.test"] == .refused)
    let asked = try await dave.run(follow) { if case .requestInstead = $0 { true } else { false } }
    #expect(asked.rows.first { $0.input == "grace.test" }?.state == .done)
    let requests = network.records(of: try dave.did("dave"), in: FriendRequest.collection)
    #expect(requests.contains { $0.value["subject"]?.string == "\(account)" })
  }

  @Test func aQuestionIsData() async throws {
    let alice = try await ServedUser(on: network)
    let run = try await alice.run(Change(ChangeAccounts(.block(), accounts("judy", "mallory"))))
    let json = try JSONEncoder().encode(try #require(run.questions.first))
    let fields = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(fields["code"] as? String == "change" && fields["affected"] as? Int == 2)
    #expect(fields["subjects"] as? [String] == [try "\(alice.did("judy"))", try "\(alice.did("mallory"))"])
    let outcome = try JSONEncoder().encode(run.outcome)
    let ended = try #require(try JSONSerialization.jsonObject(with: outcome) as? [String: Any])
    #expect(ended["ending"] as? String == "declined" && ended["title"] as? String == "block")
  }

  // MARK: Proposals

  @Test func aProposedChangeDoesNothingUntilItIsApproved() async throws {
    let alice = try await ServedUser(on: network)
    var change = Change(ChangeAccounts(.block(), accounts("judy", "mallory")))
    change.mode = .propose
    let proposed = try await alice.run(change)
    #expect(proposed.questions.isEmpty && proposed.rows.map(\.state) == [.planned, .planned])
    let blocks = { network.records(of: try alice.did("alice"), in: .block).count }
    let before = try blocks()
    let (job, digest) = (try #require(proposed.outcome.job), try #require(proposed.outcome.proposed))
    let approved = try await alice.run(ApproveJob(job.id, digest: digest))
    #expect(approved.questions.isEmpty && approved.rows.map(\.state) == [.done, .done])
    #expect(try blocks() == before + 2 && approved.outcome.job?.id == job.id)
  }
}
