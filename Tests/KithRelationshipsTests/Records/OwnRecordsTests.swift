// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct OwnRecordsTests {
  private let account = Accounts.did(0)
  private let follow = "app.bsky.graph.follow"
  private static let pages = "com.atproto.repo.listRecords"
  private static let latest = "com.atproto.sync.getLatestCommit"

  private func pds(_ manner: PDSDouble.Manner = .reference, follows count: Int) -> PDSDouble {
    let pds = PDSDouble(account: account, manner)
    let records = (0..<count).map { number in
      let key = TID(at: 1_700_000_000_000_000 + Int64(number) * 3_600_000_000, clockID: 3)
      return ("\(follow)/\(key)", PDSDouble.edge(follow, Accounts.did(1_000 + number)))
    }
    pds.change { $0.records = Dictionary(records) { first, _ in first } }
    return pds
  }

  private func records(_ pds: PDSDouble, _ transport: ScriptedTransport) throws -> OwnRecords {
    OwnRecords(of: account, client: try pds.client(transport))
  }

  private func subjects(_ answer: OwnRecords.Answer, in collection: NSID = .follow) -> Set<String> {
    Set(answer.collections[collection]?.records.compactMap(\.subject) ?? [])
  }

  @Test(arguments: PDSDouble.Manner.allCases, PDSDouble.Cursors.allCases)
  func readsAWholeCollectionFromEveryServer(
    _ manner: PDSDouble.Manner, _ cursors: PDSDouble.Cursors
  ) async throws {
    if cursors != .keys, manner == .arroba { return }
    let pds = pds(manner, follows: 1_050)
    pds.change { $0.cursors = cursors }
    let answer = try await records(pds, pds.transport).records([.follow: .all])
    #expect(answer.collections[.follow]?.records.count == 1_050)
    #expect(subjects(answer) == Set((0..<1_050).map { "\(Accounts.did(1_000 + $0))" }))
    #expect(answer.commit != nil)
  }

  @Test func readsNothingWhileTheCommitIsTheSame() async throws {
    let pds = pds(follows: 250)
    let transport = pds.transport
    let own = try records(pds, transport)
    _ = try await own.records([.follow: .all])
    let pages = transport.calls(of: Self.pages)
    let some = try await own.records([.follow: .some(subjects: ["\(Accounts.did(1_007))"])])
    #expect(subjects(some) == ["\(Accounts.did(1_007))"])
    #expect(some.collections[.follow]?.others == 249)
    #expect(transport.calls(of: Self.pages) == pages)
    #expect(transport.calls(of: Self.latest) == 2)
  }

  @Test func readsAgainAfterACommitOfAnotherApp() async throws {
    let pds = pds(follows: 20)
    let own = try records(pds, pds.transport)
    _ = try await own.records([.follow: .all])
    pds.put(follow, "3zother", subject: Accounts.did(5))
    #expect(subjects(try await own.records([.follow: .all])).contains("\(Accounts.did(5))"))
  }

  /// What was read is bound to the commit before it, so that no change can rest on it unnoticed.
  @Test func whatChangesDuringTheReadingIsReadTheNextTime() async throws {
    let pds = pds(follows: 20)
    let other = Accounts.did(5)
    let isFirst = PosixMutex(true)
    let transport = ScriptedTransport { request in
      let answer = try pds.answer(request)
      // The reading has begun before this commit, and does not see it.
      if RequestQuery(request).method == Self.pages,
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      {
        pds.put("app.bsky.graph.follow", "3zother", subject: other)
      }
      return answer
    }
    let own = try records(pds, transport)
    let answer = try await own.records([.follow: .all])
    #expect(answer.collections[.follow]?.records.count == 20)
    #expect(answer.commit != nil && answer.commit?.cid.description != pds.head.cid)
    #expect(transport.calls(of: Self.latest) == 1)
    let next = try await own.records([.follow: .all])
    #expect(subjects(next).contains("\(other)") && next.commit?.cid.description == pds.head.cid)
  }

  /// Without a commit that shows it, one call finds out whether what was read holds; after that, nothing is read.
  @Test func aReadingIsConfirmedOnce() async throws {
    let pds = pds(follows: 20)
    let transport = pds.transport
    let store = InMemoryOwnRecordStore()
    let own = OwnRecords(of: account, client: try pds.client(transport), store: store)
    _ = try await own.records([.follow: .all])
    var kept = await store.collections(of: account)
    #expect(kept.isEmpty)
    await own.confirmReading()
    await own.confirmReading()
    kept = await store.collections(of: account)
    #expect(kept == [.follow])
    #expect(transport.calls(of: Self.latest) == 2)
    // Another process has the same store.
    let pages = transport.calls(of: Self.pages)
    let other = OwnRecords(of: account, client: try pds.client(transport), store: store)
    #expect(try await other.records([.follow: .all]).collections[.follow]?.records.count == 20)
    #expect(transport.calls(of: Self.pages) == pages)
  }

  @Test func ownCommitsCarryOnWhatIsKept() async throws {
    let pds = pds(follows: 120)
    let transport = pds.transport
    let own = try records(pds, transport)
    let commit = try #require(try await own.records([.follow: .all]).commit)
    let pages = transport.calls(of: Self.pages)
    pds.put(follow, "3znew", subject: Accounts.did(5))
    let next = RepositoryCommit(
      cid: try CID(parsing: pds.head.cid), revision: "\(pds.head.rev)")
    let made = OwnRecordChange(
      .follow, try RecordKey(parsing: "3znew"), value: PDSDouble.edge(follow, Accounts.did(5)))
    await own.committed([made], after: commit, as: next)
    let answer = try await own.records([.follow: .some(subjects: ["\(Accounts.did(5))"])])
    #expect(subjects(answer) == ["\(Accounts.did(5))"] && answer.commit == next)
    #expect(transport.calls(of: Self.pages) == pages)
    #expect(await own.own(after: commit) == next)
  }

  @Test func readsEachTimeFromAServerThatDoesNotTellItsCommit() async throws {
    let pds = pds(follows: 20)
    pds.change { $0.tellsLatestCommit = false }
    let transport = pds.transport
    let own = try records(pds, transport)
    for _ in 0..<2 {
      let answer = try await own.records([.follow: .all])
      #expect(answer.commit == nil && answer.collections[.follow]?.records.count == 20)
    }
    #expect(transport.calls(of: Self.latest) == 1)
    #expect(transport.calls(of: Self.pages) == 4)
  }

  @Test func readsOnceForManyCallersAtOnce() async throws {
    let pds = pds(follows: 20)
    let transport = pds.transport
    let own = try records(pds, transport)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          let subject = "\(Accounts.did(1_000 + number))"
          return try await own.records([.follow: .some(subjects: [subject])])
            .collections[.follow]?.records.count { $0.subject == subject } ?? 0
        }
      }
      for try await count in group { #expect(count == 1) }
    }
    #expect(transport.calls(of: Self.pages) == 2)
  }

  @Test func keepsRecordsWithAllTheirFields() async throws {
    let pds = pds(follows: 3)
    let odd: DataValue = [
      "$type": "app.bsky.graph.follow", "subject": .string("\(Accounts.did(5))"), "via": ["uri": "at://x"],
    ]
    pds.change {
      $0.records["app.bsky.graph.follow/3odd"] = odd
      $0.records["app.bsky.graph.follow/3none"] = ["text": "no follow"]
    }
    let own = try records(pds, pds.transport)
    _ = try await own.records([.follow: .all])
    let names = try Set(
      ["3odd", "3none", "3missing"].map { RecordName(try RecordKey(parsing: $0), in: .follow) })
    let kept = try #require(try await own.kept(names))
    #expect(kept.count == 2)
    #expect(kept[RecordName(try RecordKey(parsing: "3odd"), in: .follow)] == odd)
    pds.put(follow, "3znew", subject: Accounts.did(5))
    #expect(try await own.kept(names) == nil)
  }

  @Test func doesNotKeepWhatItCannotName() async throws {
    let pds = pds(follows: 3)
    let transport = ScriptedTransport { request in
      guard RequestQuery(request).method == Self.pages else { return try pds.answer(request) }
      return TransportResponse(#"{"records":[{"uri":"at://did:web:x.test/a.b.c/d","value":{}}]}"#)
    }
    let own = try records(pds, transport)
    for _ in 0..<2 {
      let answer = try await own.records([.follow: .all])
      #expect(answer.collections[.follow]?.unreadable.count == 1)
    }
    #expect(transport.calls(of: Self.pages) == 2)
  }

  @Test func failsIfTheRepositoryCannotBeRead() async throws {
    let pds = pds(follows: 3)
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let own = try records(pds, pds.transport)
    await #expect { _ = try await own.records([.follow: .all]) } throws: {
      ($0 as? RepositoryError)?.code == .unavailable
    }
  }

  @Test func aCallerThatIsCancelledDoesNotFailTheOthers() async throws {
    let pds = pds(follows: 20)
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }
    let own = try records(pds, transport)
    let first = Task { try await own.records([.follow: .all]) }
    await turnstile.untilArrived(1)
    let second = Task { try await own.records([.follow: .all]) }
    first.cancel()
    turnstile.open()
    #expect(try await second.value.collections[.follow]?.records.count == 20)
    await #expect(throws: CancellationError.self) { try await first.value }
  }
}
