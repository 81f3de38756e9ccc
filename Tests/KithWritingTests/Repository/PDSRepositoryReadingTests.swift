// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What a repository returns about its records: whether a commit is among them, one of them, a whole
/// collection.
@Suite struct PDSRepositoryReadingTests {
  private let follow = "app.bsky.graph.follow"

  // MARK: Settling

  @Test(arguments: PDSDouble.Manner.allCases)
  func settlesACommitByARecordThatItCreates(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3old", subject: Accounts.did(2))
    let repository = try pds.repository()
    let writes: [RecordWrite] = try [.delete("3old"), .create("3a")]
    #expect(try await !repository.resolveInDoubt(writes))
    try await repository.commit(writes)
    #expect(try await repository.resolveInDoubt(writes))
  }

  /// An earlier commit with some of them arrived late, before the others were ever sent.
  @Test(arguments: PDSDouble.Manner.allCases, [0, 1, 2])
  func doesNotSettleACommitBySomeOfItsRecords(manner: PDSDouble.Manner, there: Int) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3k\(there)", subject: Accounts.did(there))
    let repository = try pds.repository()
    let writes = try (0..<3).map { try RecordWrite.create("3k\($0)", $0) }
    #expect(await RepositoryError.thrown { try await repository.resolveInDoubt(writes) }?.code == .partial)
    for number in 0..<3 { pds.put(follow, "3k\(number)", subject: Accounts.did(number)) }
    #expect(try await repository.resolveInDoubt(writes))
  }

  /// One missing record proves nothing: it may have been missing before.
  @Test(arguments: PDSDouble.Manner.allCases)
  func settlesRemovalsOnlyOnceAllAreGone(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    for key in 0..<20 { pds.put(follow, "3k\(key)", subject: Accounts.did(key)) }
    let repository = try pds.repository()
    let writes: [RecordWrite] = try [.delete("3never")] + (0..<20).map { try RecordWrite.delete("3k\($0)") }
    #expect(try await !repository.resolveInDoubt(writes))
    pds.change { $0.records = [:] }
    #expect(try await repository.resolveInDoubt(writes))
  }

  /// A commit of 200 records takes two pages, not 200 calls.
  @Test(arguments: PDSDouble.Manner.allCases)
  func settlesAWholeCommitWithAFewReads(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    for number in 0..<50 { pds.put(follow, "3j\(100 + number)", subject: Accounts.did(500 + number)) }
    let transport = pds.transport
    let repository = try pds.repository(over: transport)
    let writes = try (0..<200).map { try RecordWrite.create("3k\(1_000 + $0)", $0) }
    #expect(try await !repository.resolveInDoubt(writes))
    try await repository.commit(writes)
    #expect(try await repository.resolveInDoubt(writes))
    #expect(transport.calls(of: "com.atproto.repo.listRecords") <= 5)
    #expect(transport.calls(of: "com.atproto.repo.getRecord") <= 3)
  }

  @Test func settlesUpdatesByTheirValue() async throws {
    let pds = PDSDouble()
    pds.put(follow, "3a", subject: Accounts.did(1))
    let repository = try pds.repository()
    func update(_ subject: Int) throws -> RecordWrite {
      RecordWrite(
        collection: .follow, rkey: try RecordKey(parsing: "3a"),
        action: .update(PDSDouble.edge(follow, Accounts.did(subject)), former: nil))
    }
    #expect(try await repository.resolveInDoubt([update(1)]))
    #expect(try await !repository.resolveInDoubt([update(2)]))
  }

  @Test func refusesToSettleOnAnotherRecord() async throws {
    let pds = PDSDouble()
    pds.put(follow, "3a", subject: Accounts.did(9))
    let repository = try pds.repository()
    #expect(
      await RepositoryError.thrown { try await repository.resolveInDoubt([.create("3a")]) }?.code == .taken)
    #expect(
      await RepositoryError.thrown { try await repository.resolveInDoubt([.create("3a"), .create("3b")]) }?
        .code
        == .taken)
    // Another record of the commit exists: it took effect, and this record was replaced later.
    pds.put(follow, "3b", subject: Accounts.did(1))
    #expect(try await repository.resolveInDoubt([.create("3a"), .create("3b")]))
  }

  @Test(arguments: PDSDouble.Manner.allCases)
  func recognizesItsReformattedRecord(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    var value = PDSDouble.edge(follow, Accounts.did(1)).object ?? [:]
    value["createdAt"] = "2025-01-01T00:00:00Z"
    let normalised = DataValue.object(value)
    pds.change { $0.records["\(follow)/3a"] = normalised }
    #expect(try await pds.repository().resolveInDoubt([.create("3a")]))
  }

  // MARK: Records

  struct Mumble: Sendable {
    let response: TransportResponse
    let code: RepositoryError.Code
    init(_ code: RepositoryError.Code, _ response: TransportResponse) {
      (self.code, self.response) = (code, response)
    }
  }

  /// Unknown does not mean no: none of these answers says that a record is missing.
  @Test(arguments: [
    Mumble(.refused, .xrpcError(400, "InvalidRequest", "Could not find repo: did:plc:x")),
    Mumble(.unavailable, TransportResponse(status: 404, "404 page not found", type: "text/plain")),
    Mumble(.unavailable, TransportResponse(status: 404, "<html>record not found</html>", type: "text/html")),
    Mumble(.unavailable, TransportResponse(status: 502)),
    Mumble(.unavailable, TransportResponse(status: 500)),
    Mumble(.notAuthorized, TransportResponse(status: 401, "record not found", type: "text/plain")),
    Mumble(.invalidResponse, TransportResponse("{}")), Mumble(.invalidResponse, TransportResponse("<html>")),
    Mumble(
      .invalidResponse,
      TransportResponse(#"{"uri":"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/a.b.c/other","value":{}}"#)),
  ])
  func doesNotTakeOtherAnswersForAMissingRecord(mumble: Mumble) async throws {
    let pds = PDSDouble()
    pds.change { $0.answerToQuestions = mumble.response }
    let repository = try pds.repository()
    for write in try [RecordWrite.create("3a"), .delete("3a")] {
      let error = await RepositoryError.thrown { try await repository.resolveInDoubt([write]) }
      #expect(error?.code == mumble.code, "\(String(describing: error))")
    }
  }

  @Test(arguments: PDSDouble.Manner.allCases)
  func listsEdgesByTheirContent(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    for number in 0..<120 { pds.put(follow, "3k\(100 + number)", subject: Accounts.did(number)) }
    pds.put(follow, "3wrong", subject: "absent")
    pds.put("app.bsky.graph.block", "3b", subject: Accounts.did(1))
    var found: [RecordKey: RecordEdge?] = [:]
    var count = 0
    let commit = try await pds.repository().list([.follow: .all]) { _, rkey, edge in
      found[rkey] = edge
      count += 1
    }
    #expect(commit?.cid.description == pds.head.cid)
    #expect(count == 121 && found.count == 121)
    #expect(try found[RecordKey(parsing: "3wrong")] == .some(nil))
    let edge = RecordEdge(PDSDouble.edge(follow, Accounts.did(7)), in: .follow)
    #expect(try edge != nil && found[RecordKey(parsing: "3k107")] == .some(edge))
  }

  @Test func doesNotTakeAFailedListingForComplete() async throws {
    let pds = PDSDouble()
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let repository = try pds.repository()
    #expect(
      await RepositoryError.thrown { try await repository.list([.follow: .all]) { _, _, _ in } }?.code
        == .unavailable)
  }
}
