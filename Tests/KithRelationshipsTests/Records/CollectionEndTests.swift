// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Own commits on a server that does not compare them, so that another app may come in between.
@Suite struct CollectionEndTests {
  private static let start: Instant = 1_760_000_000_000_000
  private static let pages = "com.atproto.repo.listRecords"
  private let account = Accounts.did(0)
  private let pds: PDSDouble
  private let transport: ScriptedTransport
  private let clock = ManualClock(.skipping)
  private let own: OwnRecords

  init() throws {
    pds = PDSDouble(account: account, .arroba)
    transport = pds.transport
    let client = try pds.client(transport, clock.timeSource(wallAtZero: Self.start))
    own = OwnRecords(of: account, client: client)
  }

  private func key(_ microseconds: Int64) -> RecordKey {
    RecordKey(tid: TID(at: Self.start + microseconds, clockID: 1))
  }

  /// Makes old follows, one each hour.
  private func followBefore(_ count: Int) {
    let records = (0..<count).map { number in
      ("app.bsky.graph.follow/\(key(Int64(number - count - 1) * 3_600_000_000))", edge(1_000 + number))
    }
    pds.change { $0.records = Dictionary(records) { first, _ in first } }
  }

  private func edge(_ number: Int) -> DataValue {
    PDSDouble.edge("app.bsky.graph.follow", Accounts.did(number))
  }

  /// Follows an account in a commit of its own, while another app may make changes.
  private func follow(
    _ number: Int, at microseconds: Int64,
    beside others: (inout [String: DataValue]) -> Void = { _ in }
  ) async throws -> Bool {
    let former = try #require(try await own.records([.follow: .some()]).commit)
    let change = OwnRecordChange(.follow, key(microseconds), value: edge(number))
    pds.change { others(&$0.records) }
    pds.change { $0.records["app.bsky.graph.follow/\(change.rkey)"] = change.value }
    let head = RepositoryCommit(cid: try CID(parsing: pds.head.cid), revision: "\(pds.head.rev)")
    return await own.committed([change], afterUncompared: former, as: head)
  }

  /// The subjects of all follows, and the pages that this takes.
  private func follows() async throws -> (subjects: Set<String>, pages: Int) {
    let before = transport.calls(of: Self.pages)
    let answer = try await own.records([.follow: .all])
    let subjects = Set(answer.collections[.follow]?.records.compactMap(\.subject) ?? [])
    return (subjects, transport.calls(of: Self.pages) - before)
  }

  private func subjects(in pds: PDSDouble) -> Set<String> {
    Set(pds.records.values.compactMap { $0["subject"]?.string })
  }

  @Test(arguments: [0, 3, 99, 100, 101, 2_000])
  func readsTheEndOnlyAfterAnOwnCommit(_ count: Int) async throws {
    followBefore(count)
    _ = try await follows()
    for number in 0..<20 {
      let before = transport.calls(of: Self.pages)
      #expect(try await follow(number, at: Int64(number)))
      #expect(transport.calls(of: Self.pages) - before <= (count == 99 || count == 100 ? 2 : 1))
    }
    let (all, pages) = try await follows()
    #expect(all == subjects(in: pds) && all.count == count + 20 && pages == 0)
  }

  /// 600 follows in two minutes: each time, only those of the last minute are read.
  @Test func theEndMovesOn() async throws {
    followBefore(500)
    _ = try await follows()
    let before = transport.calls(of: Self.pages)
    for number in 0..<300 {
      #expect(try await follow(number, at: Int64(number) * 1_000_000))
      clock.advance(by: .seconds(1))
      if number == 0 { #expect(transport.calls(of: Self.pages) - before == 1) }
    }
    #expect(transport.calls(of: Self.pages) - before <= 300 + 20)
    #expect(try await follows().subjects == subjects(in: pds))
  }

  @Test func noticesWhatAnotherAppCreatesInBetween() async throws {
    followBefore(250)
    _ = try await follows()
    let other = key(-30_000_000)
    #expect(
      try await follow(1, at: 1) { $0["app.bsky.graph.follow/\(other)"] = edge(7) } == false)
    let (all, pages) = try await follows()
    #expect(all == subjects(in: pds) && all.contains("\(Accounts.did(7))") && pages == 0)
    #expect(try await follow(2, at: 2))
  }

  @Test func readsEverythingAgainAfterTenMinutes() async throws {
    followBefore(250)
    _ = try await follows()
    let gone = try #require(pds.records.keys.min())
    #expect(try await follow(1, at: 1) { $0[gone] = nil })
    clock.advance(by: .seconds(601))
    #expect(try await follow(2, at: 601_000_000) == false)
    let (all, pages) = try await follows()
    #expect(all == subjects(in: pds) && pages > 1)
  }

  @Test func readsEverythingAgainIfAnotherAppIsSeenByItsCommit() async throws {
    followBefore(250)
    _ = try await follows()
    let other = "app.bsky.graph.follow/\(key(5))"
    let edge = edge(7)
    // The first call asks for the latest commit before, the second one after the end was read.
    pds.before("com.atproto.sync.getLatestCommit") { _ in }
    pds.before("com.atproto.sync.getLatestCommit") { $0[other] = edge }
    #expect(try await follow(1, at: 1) == false)
    let (all, pages) = try await follows()
    #expect(all == subjects(in: pds) && pages > 1)
  }

  @Test func readsEverythingAgainFromAServerThatListsTheNewestFirst() async throws {
    let pds = PDSDouble(account: account)
    pds.change { $0.records = ["app.bsky.graph.follow/3a": edge(1), "app.bsky.graph.follow/3b": edge(2)] }
    let own = OwnRecords(of: account, client: try pds.client())
    let former = try #require(try await own.records([.follow: .all]).commit)
    pds.put("app.bsky.graph.follow", "3c", subject: Accounts.did(3))
    let head = RepositoryCommit(cid: try CID(parsing: pds.head.cid), revision: "\(pds.head.rev)")
    let change = OwnRecordChange(.follow, try RecordKey(parsing: "3c"), value: edge(3))
    #expect(await own.committed([change], afterUncompared: former, as: head) == false)
    #expect(try await own.records([.follow: .all]).collections[.follow]?.records.count == 3)
  }
}
