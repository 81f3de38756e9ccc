// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct RecordLookupTests {
  private let account = Accounts.did(0)
  private let follow = "app.bsky.graph.follow"
  private let block = "app.bsky.graph.block"

  private func name(_ number: Int, in collection: NSID = .follow) throws -> RecordName {
    RecordName(try RecordKey(parsing: "3k\(10_000 + number)"), in: collection)
  }

  private func names(_ numbers: some Sequence<Int>, in collection: NSID = .follow) throws -> Set<RecordName> {
    Set(try numbers.map { try name($0, in: collection) })
  }

  private func pds(
    _ numbers: some Sequence<Int>, _ manner: PDSDouble.Manner = .reference
  ) -> PDSDouble {
    let pds = PDSDouble(account: account, manner)
    for number in numbers { pds.put(follow, "3k\(10_000 + number)", subject: Accounts.did(number)) }
    return pds
  }

  private func look(
    for names: Set<RecordName>, in pds: PDSDouble,
    answering answer: (@Sendable (String) -> TransportResponse?)? = nil
  ) async throws -> (found: [RecordName: DataValue], pages: Int, singles: Int) {
    let transport = ScriptedTransport { request in
      try answer?(RequestQuery(request).method) ?? pds.answer(request)
    }
    let found = try await RecordLookup(of: account, client: pds.client(transport)).records(names)
    return (
      found, transport.calls(of: "com.atproto.repo.listRecords"),
      transport.calls(of: "com.atproto.repo.getRecord")
    )
  }

  /// For any order of the pages, and any position of the records.
  @Test(arguments: PDSDouble.Manner.allCases, [0, 1, 3, 4, 30, 100, 250])
  func findsExistingRecordsAndLeavesOutTheOthers(manner: PDSDouble.Manner, count: Int) async throws {
    let pds = pds(0..<300, manner)
    pds.put(block, "3k\(10_000)", subject: Accounts.did(9))
    let step = 400 / max(1, count)
    let numbers = (0..<count).map { ($0 * step + 7) % 400 }
    var wanted = try names(numbers)
    wanted.insert(try name(0, in: .block))
    wanted.insert(try name(1, in: .block))
    let (found, _, _) = try await look(for: wanted, in: pds)
    let expected = try names(numbers.filter { $0 < 300 }).union([name(0, in: .block)])
    #expect(Set(found.keys) == expected)
    for (name, value) in found { #expect(value == pds.records["\(name)"]) }
  }

  @Test func requestsAFewRecordsOneByOne() async throws {
    let pds = pds(0..<300)
    let answer = try await look(for: names([1, 2, 500]), in: pds)
    #expect((answer.found.count, answer.pages, answer.singles) == (2, 0, 3))
  }

  @Test func findsTheNewestOnTheFirstPages() async throws {
    let pds = pds(0..<2_000)
    let answer = try await look(for: names(1_699..<2_000), in: pds)
    #expect((answer.found.count, answer.pages, answer.singles) == (301, 3, 1))
  }

  /// A commit that did not happen: the first page proves that none of its records exists.
  @Test(arguments: [PDSDouble.Manner.reference, .lenient])
  func concludesAbsenceFromDescendingOrder(manner: PDSDouble.Manner) async throws {
    let pds = pds(0..<2_000, manner)
    let answer = try await look(for: names(2_000..<2_200), in: pds)
    #expect((answer.found.count, answer.pages, answer.singles) == (0, 1, 0))
  }

  /// Oldest first: the first pages say nothing about the newest.
  @Test func doesNotConcludeAbsenceFromAscendingOrder() async throws {
    let pds = pds(0..<2_000, .arroba)
    let answer = try await look(for: names([0, 1, 2, 3, 4, 1_996, 1_997, 1_998, 1_999, 3_000]), in: pds)
    #expect((answer.found.count, answer.pages, answer.singles) == (9, 2, 5))
  }

  /// One row out of order, as from a server that lists in the order of writing.
  @Test func doesNotConcludeAbsenceFromABrokenOrder() async throws {
    let pds = pds(0..<10)
    let rows = [9, 8, 3, 7, 6].map { #"{"uri":"at://\#(account)/\#(follow)/3k\#(10_000 + $0)","value":{}}"# }
    let page = #"{"records":[\#(rows.joined(separator: ","))],"cursor":"more"}"#
    let answer = try await look(for: names(4..<10), in: pds) {
      $0.hasSuffix("listRecords") ? TransportResponse(page) : nil
    }
    #expect((answer.found.count, answer.singles) == (6, 2))
  }

  /// Pages without matches cost at most a third more than single reads.
  @Test func stopsReadingPagesWithoutMatches() async throws {
    let pds = pds(0..<5_000, .arroba)
    let answer = try await look(for: names(4_970..<5_000), in: pds)
    #expect((answer.found.count, answer.pages, answer.singles) == (30, 10, 30))
  }

  @Test func concludesAbsenceAtTheEndOfTheListing() async throws {
    let pds = pds(0..<50, .arroba)
    let answer = try await look(for: names(100..<150), in: pds)
    #expect((answer.found.count, answer.pages, answer.singles) == (0, 1, 0))
  }

  @Test func countsAMalformedRecordByItsKey() async throws {
    let pds = pds(0..<10)
    pds.change { $0.records["\(follow)/3k10003"] = ["subject": 7] }
    let found = try await look(for: names(0..<10), in: pds).found
    #expect(try found.count == 10 && found[name(3)] == ["subject": 7])
    // A value that is not valid in the data model.
    let row = #"{"uri":"at://\#(account)/\#(follow)/3k10003","value":7.5}"#
    let listed = try await look(for: names([3, 4, 5, 6]), in: pds) {
      $0.hasSuffix("listRecords") ? TransportResponse(#"{"records":[\#(row)]}"#) : nil
    }
    #expect(try listed.found == [name(3): DataValue.null])
    #expect((listed.pages, listed.singles) == (1, 0))
    let single = try await look(for: names([3]), in: pds) { _ in TransportResponse(row) }
    #expect(try single.found == [name(3): DataValue.null])
  }

  @Test func requestsRecordsOneByOneIfAPageIsUnreadable() async throws {
    let pds = pds(0..<10)
    let answer = try await look(for: names(0..<10), in: pds) {
      $0.hasSuffix("listRecords") ? TransportResponse("<html>") : nil
    }
    #expect((answer.found.count, answer.singles) == (10, 10))
  }

  /// Unknown is not "no".
  @Test(arguments: [2, 20]) func failsIfTheServerGivesNoAnswer(count: Int) async throws {
    let pds = pds(0..<10)
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let wanted = try names(0..<count)
    #expect(await RepositoryError.thrown { try await look(for: wanted, in: pds) }?.code == .unavailable)
  }
}
