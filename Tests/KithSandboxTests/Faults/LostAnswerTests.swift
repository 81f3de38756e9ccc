// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// What a fault leaves of a write, over HTTP.
@Suite struct LostAnswerTests {
  private static let network = SandboxNetwork(configuration: SandboxNetwork.Configuration(accounts: 14))
  private let transport = CurlTransport()
  private let dids = network.accounts.map(\.did)
  private var alice: DID { dids[0] }
  private var niaj: DID { dids[11] }

  private func post(
    _ endpoints: Sandbox.Endpoints, _ nsid: String, _ body: [UInt8], token: String? = nil
  ) async throws -> TransportResponse {
    let authority = String(endpoints.pds.dropFirst("http://".count))
    var head = HTTPRequest(method: .post, scheme: "http", authority: authority, path: "/xrpc/\(nsid)")
    head.headerFields[.contentType] = "application/json"
    head.headerFields[.authorization] = token.map { "Bearer \($0)" }
    return try await transport.send(TransportRequest(head: head, body: body))
  }

  /// Makes a sandbox fail writes in one way; signing in is retried until it succeeds.
  private func outcomes(
    _ kind: SandboxFaults.Kind, rate: Double
  ) async throws -> (answered: [Bool], written: [Bool], sandbox: Sandbox) {
    let sandbox = Sandbox(
      network: Self.network,
      configuration: Sandbox.Configuration(faults: SandboxFaults(rate: rate, kinds: [kind], pause: .zero)))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let login = Com.Atproto.Server.CreateSession.Input(identifier: "alice.test", password: "pw-alice")
    var token: String?
    for _ in 0..<25 where token == nil {
      let answer = try? await post(endpoints, "com.atproto.server.createSession", login.payload())
      token = try? answer.map { try Com.Atproto.Server.CreateSession.Output(payload: $0.body).accessJwt }
    }
    let session: String = try #require(token)
    var answered: [Bool] = []
    var written: [Bool] = []
    for number in 0..<20 {
      let key = RecordKey(tid: TID(at: Instant(number), clockID: 0))
      let create = Com.Atproto.Repo.CreateRecord.Input(
        repo: .did(alice), collection: App.Bsky.Graph.Follow.nsid, rkey: key, validate: false,
        record: ["$type": "app.bsky.graph.follow", "subject": .string(niaj.description)])
      let answer = try? await post(
        endpoints, "com.atproto.repo.createRecord", create.payload(), token: session)
      answered.append(answer?.head.status == .ok)
      written.append(sandbox.records(of: alice, in: App.Bsky.Graph.Follow.nsid).contains { $0.key == key })
    }
    await server.stop()
    return (answered, written, sandbox)
  }

  @Test func aLostAnswerMeansTheWriteWasDone() async throws {
    let (answered, written, sandbox) = try await outcomes(.lost, rate: 0.5)
    #expect(answered.contains(true) && answered.contains(false))
    #expect(written.allSatisfy { $0 })
    #expect(sandbox.statistics.commits == 20)
    let again = try await outcomes(.lost, rate: 0.5)
    #expect(again.answered == answered, "the same seed loses the same answers")
  }

  @Test func aResetLeavesTheWriteUncertain() async throws {
    let (answered, written, _) = try await outcomes(.reset, rate: 0.7)
    #expect(zip(answered, written).allSatisfy { !$0 || $1 })
    #expect(zip(answered, written).contains { !$0 && $1 } && written.contains(false))
  }

  @Test func aRefusalMeansTheWriteWasNotDone() async throws {
    for kind in [SandboxFaults.Kind.internalServerError, .serviceUnavailable] {
      let (answered, written, _) = try await outcomes(kind, rate: 0.5)
      #expect(answered == written && answered.contains(false))
    }
  }
}
