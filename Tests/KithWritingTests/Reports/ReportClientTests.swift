// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct ReportClientTests {
  private let account = Accounts.did(1)

  private static let receipt = TransportResponse(
    #"""
    {"id":7,"reasonType":"com.atproto.moderation.defs#reasonSpam","reportedBy":"\#(Accounts.did(0))",
     "subject":{"$type":"com.atproto.admin.defs#repoRef","did":"\#(Accounts.did(1))"},
     "createdAt":"2026-01-01T00:00:00.000Z"}
    """#)

  private func desk(_ transport: ScriptedTransport) throws -> ReportClient {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      time: ManualClock(.skipping).timeSource())
    let service = try #require(ServiceReference(did: Accounts.did(9), service: "atproto_labeler"))
    return ReportClient(pds: client, to: service)
  }

  private func body(_ transport: ScriptedTransport) throws -> DataValue {
    try JSONCoding.decode(DataValue.self, from: try #require(transport.requests.first?.body))
  }

  @Test func reportsAnAccountToTheService() async throws {
    let transport = ScriptedTransport(responses: [Self.receipt])
    let receipt = try await desk(transport).send(
      Report(.account(account), reason: .spam, text: "again and again"))
    #expect(receipt.id == 7)
    #expect(receipt.reportedBy == Accounts.did(0))
    let fields = try #require(transport.requests.first?.head.headerFields)
    let proxy = fields.first { $0.name.canonicalName == "atproto-proxy" }?.value
    #expect(proxy == "\(Accounts.did(9))#atproto_labeler")
    let expected: DataValue = [
      "reasonType": "com.atproto.moderation.defs#reasonSpam", "reason": "again and again",
      "subject": ["$type": "com.atproto.admin.defs#repoRef", "did": .string("\(account)")],
    ]
    #expect(try body(transport) == expected)
  }

  @Test func reportsAVersionOfARecord() async throws {
    let cid = "bafyreie5737gdxlw5i64vzichcalba3z2v5n6icifvx5xytvske7mr3hpm"
    let uri = try ATURI(parsing: "at://\(account)/app.bsky.feed.post/3p")
    let pds = ScriptedTransport(responses: [
      TransportResponse(#"{"uri":"\#(uri)","cid":"\#(cid)","value":{"$type":"app.bsky.feed.post"}}"#),
      .xrpcError(400, "RecordNotFound", "Could not locate record"),
    ])
    let client = XRPCClient(service: try ServiceURL(parsing: "https://pds.test"), transport: pds)
    let version = try #require(try await RecordVersion.read(uri, client: client))
    #expect(try await RecordVersion.read(uri, client: client) == nil)
    let transport = ScriptedTransport(responses: [Self.receipt])
    _ = try await desk(transport).send(Report(.record(uri, version.cid), reason: .rude))
    #expect(
      try body(transport)["subject"] == [
        "$type": "com.atproto.repo.strongRef", "uri": .string("\(uri)"), "cid": .string(cid),
      ])
  }

  /// Each report counts: if the answer was lost, it is not sent again.
  @Test(arguments: [
    Result<TransportResponse, TransportError>.failure(TransportError(.closed, host: "pds.test")),
    .failure(TransportError(.timedOut, host: "pds.test")), .success(TransportResponse(status: 502, "")),
    .success(TransportResponse("not JSON")),
  ]) func doubtIsToldAndNothingSentTwice(outcome: Result<TransportResponse, TransportError>) async throws {
    let transport = ScriptedTransport([outcome.mapError { $0 }, .success(Self.receipt)])
    let error = await #expect(throws: RepositoryError.self) {
      try await desk(transport).send(Report(.account(account), reason: .spam))
    }
    #expect(error?.code == .inDoubt)
    #expect(transport.requests.count == 1)
  }

  /// Its token had expired and the refresh failed: the report itself was never sent.
  @Test func aReportThatWasCertainlyNotSentIsNotInDoubt() async throws {
    let time = ManualClock(.skipping).timeSource()
    let server = SessionServerDouble { time.instant }
    let session = try #require(server.session())
    let transport = ScriptedTransport { request in
      RequestQuery(request).method == "com.atproto.server.refreshSession"
        ? TransportResponse(status: 502, "") : .xrpcError(400, "ExpiredToken", "Token has expired")
    }
    let plain = XRPCClient(
      service: session.pds, transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: time)
    let refresher = TokenRefresher(session, in: InMemorySessionStore([session]), client: plain)
    let service = try #require(ServiceReference(did: Accounts.did(9), service: "atproto_labeler"))
    let error = await #expect(throws: RepositoryError.self) {
      try await ReportClient(pds: plain.signed(by: refresher), to: service).send(
        Report(.account(account), reason: .spam))
    }
    #expect(error?.code == .unavailable)
    #expect(transport.calls(of: "com.atproto.moderation.createReport") == 1)
  }

  @Test func aRefusalIsCertain() async throws {
    let transport = ScriptedTransport(responses: [
      .xrpcError(400, "InvalidRequest", "Report not accepted from this account")
    ])
    let error = await #expect(throws: RepositoryError.self) {
      try await desk(transport).send(Report(.account(account), reason: .other))
    }
    #expect(error?.code == .refused)
    let unsent = ScriptedTransport(responses: [])
    let long = await #expect(throws: RepositoryError.self) {
      try await desk(unsent).send(
        Report(.account(account), reason: .other, text: String(repeating: "x", count: 2_001)))
    }
    #expect(long?.code == .refused)
    #expect(unsent.requests.isEmpty)
  }
}
