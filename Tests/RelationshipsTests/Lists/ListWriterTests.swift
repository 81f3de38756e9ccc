// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

/// Lists, changed by an app.
@Suite struct ListWriterTests {
  private let me = Accounts.did(0)
  private let pds: PDSDouble
  private let writer: GraphWriter
  private let list: ATURI

  init() throws {
    pds = PDSDouble(account: me)
    list = try ATURI(parsing: "at://\(me)/app.bsky.graph.list/3a")
    let time = ManualClock(.skipping).timeSource()
    let client = try pds.client(pds.transport, time)
    let source = ScriptedSource { actor, targets in
      ScriptedSource.follows(actor, targets) { $0 == Accounts.did(9) }
    }
    writer = GraphWriter(
      repository: PDSRepository(account: me, pds: client),
      survey: GraphSurvey(account: me, pds: client, appview: client, relationships: source),
      keys: TIDClock(clockID: 1) { time.microsecondsSinceEpoch }, time: time)
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

  @Test func putsAnAccountOnAListOnceFromHoweverManyTasks() async throws {
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

  @Test func saysWhyItDoesNotAndGoesOnWithTheNext() async throws {
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
}
