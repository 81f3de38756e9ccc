// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import TestSupport
import Testing

/// The verbs that change relationships, from the command line to a PDS that these tests did not write; read
/// back by a Python SDK, and from the AppView. They run serially: all are mallory's, about rupert and olivia.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .serialized,
  .timeLimit(.minutes(5)))
struct ChangeTests {
  private static let follows = "app.bsky.graph.follow"
  private static let blocks = "app.bsky.graph.block"
  private static let listBlocks = "app.bsky.graph.listblock"

  /// Mallory, signed in, with the queries about her.
  private struct Stage {
    let mallory: Person
    let account: LiveNetwork.Account
    let reader: RecordReader
    let rupert: DID
    let olivia: DID

    func subjects(_ collection: String) async throws -> [String] {
      try await reader.subjects(of: account.did, in: collection)
    }

    /// What the AppView shows of her edges to rupert, once it shows what is waited for.
    func edges(once isThere: (Person.Edges) -> Bool) async throws -> Person.Edges {
      try await mallory.edges(from: account.did, to: rupert, once: isThere)
    }
  }

  private func onStage(_ act: (Stage) async throws -> Void) async throws {
    let network = try await LiveNetwork.populated().network
    let mallory = try await Person.signedIn(as: "mallory", to: network)
    defer { mallory.end() }
    try await act(
      Stage(
        mallory: mallory, account: network.account("mallory"), reader: RecordReader(network),
        rupert: network.did("rupert"), olivia: network.did("olivia")))
  }

  private func expectDone(_ run: KithRun, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
    #expect(run.status == 0, "\(run.talk)", sourceLocation: location)
    let rows = try run.changes()
    #expect(rows.allSatisfy { $0.state == "done" }, "\(run.output)", sourceLocation: location)
    return rows.flatMap { $0.writes.map(\.uri) }
  }

  @Test func followsAndUnfollows() async throws {
    try await onStage { stage in
      let uris = try expectDone(try await stage.mallory.kith("follow rupert.test @olivia.test"))
      let records = try await stage.reader.records(of: stage.account.did, in: Self.follows)
      #expect(Set(records.map(\.uri)) == Set(uris) && uris.count == 2)
      #expect(Set(records.map(\.value.subject)) == [stage.rupert.description, stage.olivia.description])
      #expect(records.allSatisfy { $0.isValid && $0.value.type == Self.follows })
      for record in records {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let createdAt = try Date(record.value.createdAt, strategy: style)
        #expect(abs(createdAt.timeIntervalSinceNow) < 300)
      }
      #expect(try await stage.edges { $0.following != nil }.following.map(uris.contains) == true)

      let again = try await stage.mallory.kith("follow rupert.test")
      #expect(try again.changes().map(\.state) == ["unchanged"])
      _ = try expectDone(try await stage.mallory.kith("unfollow rupert.test olivia.test --yes"))
      #expect(try await stage.subjects(Self.follows) == [])
      #expect(try await stage.edges { $0.following == nil }.following == nil)
    }
  }

  /// This PDS knows none of these lexicons, and keeps the records as they are.
  @Test func followsInTheGraphsOfOtherApps() async throws {
    try await onStage { stage in
      let collections = [
        "tangled": "sh.tangled.graph.follow", "grain": "social.grain.graph.follow",
        "spark": "so.sprk.graph.follow",
        "cosmik": "network.cosmik.follow", "weaver": "sh.weaver.graph.follow",
      ]
      let options = collections.keys.map { "--graph \($0)" }.joined(separator: " ")
      let uris = try expectDone(try await stage.mallory.kith("follow rupert.test \(options)"))
      #expect(uris.count == collections.count)
      for collection in collections.values {
        let records = try await stage.reader.records(of: stage.account.did, in: collection)
        #expect(records.map(\.value.subject) == [stage.rupert.description])
        #expect(records.allSatisfy { $0.value.type == collection && uris.contains($0.uri) })
      }
      let asked = try await stage.mallory.kith(
        "check me rupert.test --graph tangled --graph weaver --is following")
      #expect(asked.status == 0, "\(asked.talk)")
      let listed = try await stage.mallory.kith("graphs compare tangled grain --only-in grain")
      #expect(listed.status == 0 && listed.output.isEmpty, "\(listed.talk)")
      #expect(try await stage.mallory.kith("undo --yes").status == 0)
      for collection in collections.values { #expect(try await stage.subjects(collection) == []) }
      #expect(try await stage.subjects(Self.follows) == [])
    }
  }

  /// The AppView of this network does not hide accounts with a block from a search.
  @Test func findsPeopleWithoutThoseWithABlock() async throws {
    try await onStage { stage in
      let found = try await stage.mallory.kith("people search rupert --format ndjson")
      #expect(found.status == 0 && found.output.contains("rupert.test"), "\(found.talk)")
      _ = try expectDone(try await stage.mallory.kith("follow rupert.test"))
      _ = try await stage.edges { $0.following != nil }
      let near = try await stage.mallory.kith("people nearby --limit 5 --format ndjson")
      #expect(near.status == 0 && !near.output.contains("\"handle\":\"rupert.test\""), "\(near.talk)")
      _ = try expectDone(try await stage.mallory.kith("block rupert.test --yes"))
      _ = try await stage.edges { $0.blocking != nil }
      let hidden = try await stage.mallory.kith("people search rupert --format ndjson")
      #expect(hidden.status == 0 && !hidden.output.contains("rupert.test"), "\(hidden.talk)")
      _ = try expectDone(try await stage.mallory.kith("unblock rupert.test --yes"))
      // The block has ended the follow.
      _ = try await stage.edges { $0.blocking == nil && $0.following == nil }
    }
  }

  /// The CID in an answer is computed here, and the server's own is the same.
  @Test func friendsByConsentFromRequestToRemoval() async throws {
    try await onStage { stage in
      let rupert = try await Person.signedIn(as: "rupert", to: stage.mallory.network)
      defer { rupert.end() }
      let namespace = "org.kith.temp.graph"
      _ = try expectDone(try await stage.mallory.kith("friends policy --who-may-ask everyone"))
      _ = try expectDone(try await stage.mallory.kith("friends request rupert.test"))
      let requests = try await stage.reader.records(of: stage.account.did, in: "\(namespace).friendRequest")
      #expect(requests.map(\.value.subject) == [stage.rupert.description])
      #expect(requests.map(\.value.kind) == ["friend"])
      #expect(requests.first?.uri.hasSuffix("/\(stage.rupert)") == true)
      let policies = try await stage.reader.records(of: stage.account.did, in: "\(namespace).friendPolicy")
      #expect(policies.map(\.value.whoMayAsk) == ["everyone"])

      let waiting = try await rupert.kith("check me mallory.test --is requested-by")
      #expect(waiting.status == 0, "\(waiting.talk)")
      _ = try expectDone(try await rupert.kith("friends accept mallory.test --kind friend"))
      let answers = try await stage.reader.records(of: stage.rupert, in: "\(namespace).friendAnswer")
      #expect(answers.map(\.value.request?.uri) == requests.map(\.uri))
      #expect(answers.map(\.value.request?.cid) == requests.map(\.cid))
      for (person, other) in [(stage.mallory, "rupert"), (rupert, "mallory")] {
        let asked = try await person.kith("check me \(other).test --is friend")
        #expect(asked.status == 0, "\(asked.talk)")
      }

      let former = try expectDone(try await stage.mallory.kith("friends request rupert.test --kind follow"))
      #expect(former == requests.map(\.uri))
      #expect(try await rupert.kith("check me mallory.test --is friend").status == 1)
      #expect(try await stage.mallory.kith("undo --yes").status == 0)
      #expect(try await rupert.kith("check me mallory.test --is friend").status == 0)

      _ = try expectDone(try await rupert.kith("friends remove mallory.test --yes"))
      #expect(try await stage.reader.records(of: stage.rupert, in: "\(namespace).friendAnswer").isEmpty)
      #expect(try await stage.mallory.kith("check me rupert.test --is friend").status == 1)
      _ = try expectDone(try await stage.mallory.kith("friends cancel rupert.test"))
      _ = try expectDone(try await stage.mallory.kith("friends policy --delete"))
      #expect(try await stage.subjects("\(namespace).friendRequest") == [])
    }
  }

  @Test func blocksAndUnfollowsInOneCommitAndUnblocks() async throws {
    try await onStage { stage in
      _ = try expectDone(try await stage.mallory.kith("follow rupert.test"))
      let contact = "mailto:\(UUID())@test"
      let uris = try expectDone(try await stage.mallory.kith("block rupert.test", contact: contact))
      #expect(try await stage.subjects(Self.follows) == [])
      let records = try await stage.reader.records(of: stage.account.did, in: Self.blocks)
      #expect(records.map(\.value.subject) == [stage.rupert.description])
      #expect(records.allSatisfy { $0.isValid && $0.value.type == Self.blocks && uris.contains($0.uri) })
      let log = try AccessLog(of: stage.mallory.network, userAgent: "kith/0.2.0 (+\(contact))", awaiting: 1)
      // This PDS refuses a commit that names the one before it (table of PDSes).
      let commits = log.entries.filter { $0.path == "/xrpc/com.atproto.repo.applyWrites" }
      #expect(commits.map(\.status) == ["400", "200"])
      let edges = try await stage.edges { $0.blocking != nil && $0.following == nil }
      #expect(edges.blocking == records.first?.uri && edges.following == nil)

      _ = try expectDone(try await stage.mallory.kith("unblock rupert.test"))
      #expect(try await stage.subjects(Self.blocks) == [])
      #expect(try await stage.subjects(Self.follows) == [])
      #expect(try await stage.edges { $0.blocking == nil }.blocking == nil)
    }
  }

  @Test("A later mute replaces an earlier one, and getMutes leaves out scoped mutes (Q9)")
  func mutesAndUnmutes() async throws {
    try await onStage { stage in
      _ = try expectDone(try await stage.mallory.kith("mute rupert.test"))
      #expect(try await stage.reader.mutes(of: stage.account) == [stage.rupert])
      _ = try expectDone(try await stage.mallory.kith("mute rupert.test --only reposts"))
      #expect(try await stage.reader.mutes(of: stage.account) == [])
      var viewer = try await stage.reader.view(of: stage.rupert, by: stage.account).viewer
      #expect(viewer.muted == false && viewer.mutedOnlyReposts == true)
      #expect(
        try await stage.mallory.kith("mute rupert.test --only reposts").changes().map(\.state)
          == ["unchanged"])
      _ = try expectDone(try await stage.mallory.kith("mute rupert.test --only quotes"))
      viewer = try await stage.reader.view(of: stage.rupert, by: stage.account).viewer
      #expect(viewer.mutedOnlyReposts != true && viewer.mutedOnlyQuoteposts == true)
      _ = try expectDone(try await stage.mallory.kith("unmute rupert.test"))
      viewer = try await stage.reader.view(of: stage.rupert, by: stage.account).viewer
      #expect(viewer.muted == false && viewer.mutedOnlyQuoteposts != true)
    }
  }

  @Test func mutesAndBlocksByList() async throws {
    let list = try await LiveNetwork.populated().edges.list
    try await onStage { stage in
      let ivan = try stage.mallory.network.did("ivan")
      _ = try expectDone(try await stage.mallory.kith("mute-list \(list)"))
      #expect(try await stage.reader.mutedLists(of: stage.account) == [list.description])
      #expect(try await stage.reader.view(of: ivan, by: stage.account).viewer.muted == true)
      _ = try expectDone(try await stage.mallory.kith("unmute-list \(list)"))
      #expect(try await stage.reader.mutedLists(of: stage.account) == [])

      let uris = try expectDone(try await stage.mallory.kith("block-list \(list)"))
      let records = try await stage.reader.records(of: stage.account.did, in: Self.listBlocks)
      #expect(records.map(\.value.subject) == [list.description])
      #expect(records.map(\.uri) == uris && records.allSatisfy(\.isValid))
      let blocked = try await stage.mallory.edges(from: stage.account.did, to: ivan) {
        $0.blockingByList != nil
      }
      #expect(blocked.blockingByList == list.description)
      _ = try expectDone(try await stage.mallory.kith("unblock-list \(list)"))
      #expect(try await stage.subjects(Self.listBlocks) == [])
      let free = try await stage.mallory.edges(from: stage.account.did, to: ivan) { $0.blockingByList == nil }
      #expect(free.blockingByList == nil)
    }
  }

  @Test func undoRestoresTheVeryRecords() async throws {
    try await onStage { stage in
      _ = try expectDone(try await stage.mallory.kith("follow rupert.test olivia.test"))
      let before = try await stage.reader.records(of: stage.account.did, in: Self.follows)
      _ = try expectDone(try await stage.mallory.kith("block rupert.test olivia.test --yes"))
      #expect(try await stage.mallory.kith("jobs undo 2 --yes").status == 0)
      let after = try await stage.reader.records(of: stage.account.did, in: Self.follows)
      #expect(Set(after.map(\.uri)) == Set(before.map(\.uri)) && after.count == 2)
      #expect(Set(after.map(\.value.createdAt)) == Set(before.map(\.value.createdAt)))
      #expect(try await stage.subjects(Self.blocks) == [])
      let edges = try await stage.edges { $0.following != nil && $0.blocking == nil }
      #expect(edges.following != nil && edges.blocking == nil)
      #expect(try await stage.mallory.kith("jobs undo 1 --yes").status == 0)
      #expect(try await stage.subjects(Self.follows) == [])
    }
  }

  @Test("Unfollowing deletes every record about one account (Q16)")
  func unfollowsEveryRecordOfASubject() async throws {
    try await onStage { stage in
      let session = try await PDSSession(
        stage.account, at: stage.mallory.network.pds.url, transport: CurlTransport())
      for _ in 0..<2 {
        _ = try await session.createRecord(in: Self.follows, ["subject": stage.rupert.description])
      }
      let rupert = stage.rupert.description
      #expect(try await stage.subjects(Self.follows) == [rupert, rupert])
      let uris = try expectDone(try await stage.mallory.kith("unfollow rupert.test"))
      #expect(uris.count == 2)
      #expect(try await stage.subjects(Self.follows) == [])
      #expect(try await stage.edges { $0.following == nil }.following == nil)
    }
  }
}
