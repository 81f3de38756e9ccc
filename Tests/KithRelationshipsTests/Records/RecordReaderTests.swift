// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct RecordReaderTests {
  private typealias Follow = App.Bsky.Graph.Follow
  private let account = Accounts.did(0)
  private let follow = "app.bsky.graph.follow"

  private func key(_ number: Int) -> String { "3k\(1_000 + number)" }

  private func list(_ client: XRPCClient) async -> (rows: [RecordRow<Follow>], fault: RepositoryError?) {
    var rows: [RecordRow<Follow>] = []
    do {
      for try await row in RecordReader(of: account, client: client).records(Follow.self) { rows.append(row) }
    } catch {
      return (rows, error as? RepositoryError)
    }
    return (rows, nil)
  }

  /// Newest first with exclusive cursors; oldest first with overlapping pages; a cursor on a full last
  /// page.
  @Test(arguments: PDSDouble.Manner.allCases, [0, 1, 99, 100, 101, 199, 200, 250])
  func listsEveryRecordOnce(manner: PDSDouble.Manner, count: Int) async throws {
    let pds = PDSDouble(manner)
    for number in 0..<count { pds.put(follow, key(number), subject: Accounts.did(number)) }
    // Records of neighbouring collections do not belong to it.
    pds.put("app.bsky.graph.block", key(0), subject: Accounts.did(7))
    pds.put("app.bsky.graph.listblock", key(0), subject: Accounts.did(7))
    let (rows, fault) = await list(try pds.client())
    #expect(fault == nil)
    let keys = rows.compactMap(\.rkey?.description)
    #expect(keys.sorted() == (0..<count).map(key))
    #expect(keys == (manner == .arroba ? keys.sorted() : keys.sorted().reversed()))
  }

  /// Another server asks for a sign-in where it has no record, because it would ask its AppView.
  @Test(arguments: [401, 403]) func whatAServerRefusesToSayOfOneRecordIsInItsListing(status: Int) async throws
  {
    let pds = PDSDouble()
    for number in 0..<250 { pds.put(follow, key(number), subject: Accounts.did(number)) }
    let refusing = ScriptedTransport { request in
      RequestQuery(request).method.hasSuffix("getRecord")
        ? .xrpcError(status, "AuthenticationRequired", "no") : try await pds.transport.send(request)
    }
    let reader = RecordReader(of: account, client: try pds.client(refusing))
    let (collection, absent) = (try NSID(parsing: follow), try RecordKey(parsing: "3absent"))
    let found = try await reader.record(try RecordKey(parsing: key(3)), in: collection)
    #expect(found?["subject"]?.string == "\(Accounts.did(3))")
    #expect(try await reader.record(absent, in: collection) == nil)
    // Ten pages at most.
    for number in 250..<1_100 { pds.put(follow, key(number), subject: Accounts.did(number)) }
    let error = await RepositoryError.thrown { try await reader.record(absent, in: collection) }
    #expect(error?.code == .notAuthorized)
    let silent = ScriptedTransport { _ in .xrpcError(status, "AuthenticationRequired", "no") }
    let closed = await RepositoryError.thrown {
      try await RecordReader(of: account, client: try pds.client(silent)).record(absent, in: collection)
    }
    #expect(closed?.code == .notAuthorized)
  }

  /// A follow of oneself in another app's graph says nothing, as in Bluesky's.
  @Test func oneIsNotOnesOwnMutualInTheGraphOfAnotherApp() async throws {
    let pds = PDSDouble()
    let tangled = "sh.tangled.graph.follow"
    for number in [0, 5] { pds.put(tangled, key(number), subject: Accounts.did(number)) }
    let graph = try #require(FollowGraph(try NSID(parsing: tangled)))
    let follows = try await GraphFollows(graph, by: RecordReader(of: account, client: try pds.client()))
    #expect(Set(follows.accounts.keys) == [Accounts.did(5)] && follows.unreadable == 0)
  }

  @Test(arguments: ["AccountDeactivated", "AccountTakedown"])
  func aRefusedReadSaysNothingAboutWriting(name: String) async throws {
    let inactive = ScriptedTransport { _ in .xrpcError(400, name, "no") }
    let fault = try #require(await list(try PDSDouble().client(inactive)).fault)
    #expect([.accountDeactivated, .accountSuspended].contains(fault.code))
    let change = RepositoryError(changing: try #require(fault.underlying))
    #expect(!fault.detail.contains("written") && change.detail.contains("written"))
  }

  @Test func requestsNoUnneededPage() async throws {
    let pds = PDSDouble()
    for number in 0..<250 { pds.put(follow, key(number), subject: Accounts.did(number)) }
    let transport = pds.transport
    var rows = RecordReader(of: account, client: try pds.client(transport)).records(Follow.self)
      .makeAsyncIterator()
    #expect(transport.requests.isEmpty)
    for _ in 0..<100 { _ = try await rows.next() }
    #expect(transport.requests.count == 1)
    let query = RequestQuery(transport.requests[0])
    #expect(query["repo"] == ["\(account)"])
    #expect(query["limit"] == ["100"])
  }

  @Test func reportsMalformedRecordsAmongValidOnes() async throws {
    let uri = "at://\(account)/\(follow)"
    let sound = #"{"$type":"\#(follow)","subject":"\#(Accounts.did(1))","createdAt":"2025-01-01T00:00:00Z"}"#
    let rows = [
      #"{"uri":"\#(uri)/3a","cid":"whatever","value":\#(sound)}"#,
      #"{"uri":"\#(uri)/3b","value":{"$type":"\#(follow)","subject":"\#(Accounts.did(2))","createdAt":"then"}}"#,
      #"{"uri":"\#(uri)/3c","value":{"$type":"\#(follow)","subject":"\#(Accounts.did(3))","when":{"$link":"no"}}}"#,
      #"{"uri":"at://\#(Accounts.did(9))/\#(follow)/3d","value":\#(sound)}"#,
      #"{"uri":"at://\#(account)/app.bsky.graph.block/3e","value":\#(sound)}"#, #"{"value":\#(sound)}"#, "7",
    ]
    let body = #"{"records":[\#(rows.joined(separator: ","))]}"#
    let (found, fault) = await list(
      try PDSDouble().client(ScriptedTransport(responses: [TransportResponse(body)])))
    #expect(fault == nil)
    #expect(found.count == 7)
    #expect(found.compactMap { if case .record(let rkey, _) = $0 { "\(rkey)" } else { nil } } == ["3a"])
    #expect(found.compactMap(\.rkey?.description) == ["3a", "3b", "3c"])
    guard found.count == 7, case .malformed(let record) = found[1] else {
      Issue.record("\(found)")
      return
    }
    #expect(record.value?["subject"] == .string("\(Accounts.did(2))"))
    #expect(record.reason.contains("createdAt"))
  }

  @Test func aRepeatedCursorFailsAfterItsPage() async throws {
    let account = account
    let follow = follow
    let count = PosixMutex(0)
    let transport = ScriptedTransport { _ in
      let number = count.withLock { count -> Int in
        count += 1
        return count
      }
      let value = #"{"$type":"\#(follow)","subject":"\#(account)","createdAt":"2025-01-01T00:00:00Z"}"#
      return TransportResponse(
        #"{"records":[{"uri":"at://\#(account)/\#(follow)/3\#(number)","value":\#(value)}],"cursor":"same"}"#)
    }
    let (rows, fault) = await list(try PDSDouble().client(transport))
    #expect(rows.count == 2)
    #expect(fault?.code == .invalidResponse)
    #expect(transport.requests.count == 2)
  }

  /// Q18.
  @Test func reportsAMissingRepository() async throws {
    let refusal = TransportResponse.xrpcError(400, "InvalidRequest", "Could not find repo: \(account)")
    let (rows, fault) = await list(try PDSDouble().client(ScriptedTransport(responses: [refusal])))
    #expect(rows.isEmpty)
    #expect(fault?.code == .refused)
  }

  // MARK: Single records

  @Test(arguments: [
    TransportResponse.xrpcError(400, "RecordNotFound", "x"),
    .xrpcError(400, "InvalidRequest", "Could not locate record: at://did:plc:x/app.bsky.graph.follow/3a"),
    TransportResponse(status: 400, "no such record\n", type: "text/plain"),
    TransportResponse(status: 404, "record not found\n", type: "text/plain"),
  ])
  func recognizesAMissingRecordFromEveryServer(response: TransportResponse) async throws {
    let pds = PDSDouble()
    pds.change { $0.answerToQuestions = response }
    #expect(
      try await RecordReader(of: account, client: pds.client())
        .record(RecordKey(parsing: "3a"), in: .follow) == nil)
  }

  @Test func readsARecord() async throws {
    let pds = PDSDouble()
    pds.put(follow, "3a", subject: Accounts.did(4))
    let record = try await RecordReader(of: account, client: pds.client())
      .record(RecordKey(parsing: "3a"), in: .follow)
    #expect(record?["subject"] == .string("\(Accounts.did(4))"))
  }

  // MARK: Own edges

  /// Q16.
  @Test func keepsAllRecordsOfASubject() async throws {
    let pds = PDSDouble()
    for number in 0..<3 { pds.put(follow, "3dup\(number)", subject: Accounts.did(1)) }
    pds.put(follow, "3one", subject: Accounts.did(2))
    let edges = try await OwnEdges(.follow, of: account, client: pds.client())
    #expect(edges.count == 4)
    #expect(edges[Accounts.did(1)].map(\.rkey.description) == ["3dup0", "3dup1", "3dup2"])
    #expect(edges[Accounts.did(2)].map(\.value) == [PDSDouble.edge(follow, Accounts.did(2))])
    #expect(edges[Accounts.did(3)].isEmpty)
  }

  @Test func keepsOnlyRequestedSubjectsInMemory() async throws {
    let pds = PDSDouble()
    for number in 0..<120 { pds.put(follow, key(number), subject: Accounts.did(number)) }
    let edges = try await OwnEdges(.follow, of: account, client: pds.client(), about: ["\(Accounts.did(5))"])
    #expect(edges.count == 1)
    #expect(edges[Accounts.did(5)].count == 1)
  }

  /// An AppView may show what the lexicon does not allow; such a record is deleted with the edge.
  /// An edge needs its key and its subject; a bad date is that of the key. All readers have this one rule.
  @Test(
    arguments: [
      "", "2025-01-01 00:00:00", "2025-01-01T00:00:00", nil,
    ] as [String?], ["3jzfcijpj2z2a", "self"])
  func readsAnEdgeWhateverItsDate(date: String?, key: String) async throws {
    let pds = PDSDouble(account: Accounts.did(0))
    var odd: DataObject = [
      "$type": "app.bsky.graph.follow", "subject": .string("\(Accounts.did(1))"), "via": 7,
    ]
    odd["createdAt"] = date.map { .string($0) }
    let records: [String: DataValue] = [
      "app.bsky.graph.follow/\(key)": .object(odd),
      "app.bsky.graph.follow/3unreadable": ["$type": "app.bsky.graph.follow", "subject": "x"],
    ]
    pds.change { $0.records.merge(records) { _, new in new } }
    let client = try pds.client()
    var views: [AccountView] = []
    var unreadable = 0
    for try await row in RecordReader(of: Accounts.did(0), client: client).edges(Follow.self) {
      switch row {
      case .success(let view)?: views.append(view)
      case .failure?: unreadable += 1
      case nil: Issue.record("an edge is left out")
      }
    }
    #expect(views.map(\.account) == [Accounts.did(1)] && unreadable == 1)
    #expect((views.first?.since != nil) == (key != "self"))
    let own = try await OwnEdges(.follow, of: Accounts.did(0), client: client)
    #expect(own.count == 1 && own.unreadable.count == 1)
  }

  @Test func countsAMalformedRecordForItsSubject() async throws {
    let pds = PDSDouble()
    let odd: DataValue = ["$type": "app.bsky.graph.follow", "subject": .string("\(Accounts.did(1))")]
    pds.change {
      $0.records["app.bsky.graph.follow/3odd"] = odd
      $0.records["app.bsky.graph.follow/3bad"] = ["$type": "app.bsky.graph.follow", "subject": "me"]
    }
    let edges = try await OwnEdges(.follow, of: account, client: pds.client())
    #expect(edges[Accounts.did(1)] == [OwnRecord(rkey: try RecordKey(parsing: "3odd"), value: odd)])
    #expect(edges.unreadable.first.map(\.rkey?.description) == ["3bad"])
  }
}
