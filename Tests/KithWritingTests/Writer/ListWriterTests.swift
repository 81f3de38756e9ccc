// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Lists that an app changes.
@Suite struct ListWriterTests {
  private let me = Accounts.did(0)
  private let pds: PDSDouble
  private let transport: ScriptedTransport
  private let writer: RelationshipWriter
  private let list: ATURI

  init() throws {
    let pds = PDSDouble(account: me)
    self.pds = pds
    transport = ScriptedTransport { try pds.answer($0) }
    list = try ATURI(parsing: "at://\(me)/app.bsky.graph.list/3a")
    let time = ManualClock(.skipping).timeSource()
    let client = try pds.client(transport, time)
    let source = ScriptedSource { actor, targets in
      ScriptedSource.follows(actor, targets) { $0 == Accounts.did(9) }
    }
    let own = OwnRecords(of: me, client: client)
    writer = RelationshipWriter(
      repository: PDSRepository(account: me, pds: client, records: own),
      facts: FactLoader(
        account: me, pds: client, appview: client, relationships: source, records: own),
      keys: TIDClock(clockID: 1) { time.instant }, time: time)
    pds.change {
      $0.records["app.bsky.graph.list/3a"] = [
        "$type": "app.bsky.graph.list", "name": "Noise", "purpose": "app.bsky.graph.defs#modlist",
        "createdAt": "2025-01-01T00:00:00.000Z",
      ]
    }
  }

  private var items: [DataValue?] {
    pds.records.filter { $0.key.hasPrefix("app.bsky.graph.listitem/") }.map { $0.value["subject"] }
  }

  @Test func addsAnAccountToAListOnceFromManyTasks() async throws {
    let endings = try await withThrowingTaskGroup(of: ChangeOutcome.Ending.self) { group in
      for _ in 0..<20 { group.addTask { try await writer.add(Accounts.did(1), to: list).ending } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(endings.count { $0 == .done } == 1)
    #expect(endings.count { $0 == .held } == 19)
    #expect(items == [.string("\(Accounts.did(1))")])
    #expect(try await writer.remove(Accounts.did(1), from: list).ending == .done)
    #expect(items.isEmpty)
  }

  @Test func saysWhyItFailedAndContinuesWithTheNext() async throws {
    let failure = await #expect(throws: ChangeFailure.self) {
      try await writer.add(Accounts.did(9), to: list)
    }
    guard case .refused(let refusal)? = failure else {
      Issue.record("it should be refused: \(String(describing: failure))")
      return
    }
    #expect(refusal.code == .followed)
    pds.change { $0.answerToQuestions = TransportResponse(status: 502, "") }
    let unknown = await #expect(throws: ChangeFailure.self) {
      try await writer.add(Accounts.did(1), to: list)
    }
    #expect(unknown?.isInDoubt == false)
    pds.change { $0.answerToQuestions = nil }
    #expect(try await writer.add(Accounts.did(9), to: list, allowsFollowed: true).ending == .done)
    #expect(items == [.string("\(Accounts.did(9))")])
  }

  /// The first attempt may still arrive when the second is made.
  @Test func retriesADoubtUnderTheSameKey() async throws {
    pds.change {
      $0.faults = [.requestLost(.timedOut), .answer(.xrpcError(400, "InvalidRequest", "not now"))]
    }
    let failure = await #expect(throws: ChangeFailure.self) {
      try await writer.add(Accounts.did(1), to: list)
    }
    #expect(failure?.isInDoubt == true)
    #expect(try await writer.add(Accounts.did(1), to: list).ending == .done)
    let keys = try transport.requests.filter { RequestQuery($0).method == "com.atproto.repo.applyWrites" }.map
    {
      try JSONCoding.decode(DataValue.self, from: $0.body ?? [])["writes"]?.array?.first?["rkey"]?.string
    }
    #expect(keys.count == 3)
    #expect(Set(keys).count == 1)
    // A settled change is forgotten: the next one is another record.
    _ = try await writer.remove(Accounts.did(1), from: list)
    _ = try await writer.add(Accounts.did(1), to: list)
    #expect(pds.records["app.bsky.graph.listitem/\(keys[0] ?? "")"] == nil)
  }

  @Test func aCancelledCallerStopsWaiting() async throws {
    let turnstile = Turnstile(isOpen: false)
    let pds = pds
    let client = try pds.client(ScriptedTransport(turnstile: turnstile) { try pds.answer($0) })
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    let own = OwnRecords(of: me, client: client)
    let writer = RelationshipWriter(
      repository: PDSRepository(account: me, pds: client, records: own),
      facts: FactLoader(
        account: me, pds: client, appview: client, relationships: source, records: own),
      keys: TIDClock(clockID: 1) { 0 })
    let list = list
    let first = Task { try await writer.add(Accounts.did(1), to: list) }
    await turnstile.untilArrived(1)
    let second = Task { try await writer.add(Accounts.did(2), to: list) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    turnstile.open()
    #expect(try await first.value.ending == .done)
  }
}
