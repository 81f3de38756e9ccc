// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Streams between this client and servers that these tests did not write, and the other way round.
@Suite(
  "Streams", .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .serialized,
  .timeLimit(.minutes(5)))
struct StreamTests {
  /// A host that offers the first version of Jetstream only.
  private struct OlderHost: HTTPTransport {
    let base: CurlTransport
    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await base.send(request) }

    func openWebSocket(_ request: TransportRequest, limits: WebSocketLimits) async throws -> WebSocketAnswer {
      guard request.head.path?.hasPrefix("/subscribe") == true else {
        return .refused(TransportResponse(head: HTTPResponse(status: .notFound), body: []))
      }
      return try await base.openWebSocket(request, limits: limits)
    }
  }

  private static let follow = "app.bsky.graph.follow"

  @Test(arguments: [JetstreamConnection.Wire.v1, .v2], [false, true])
  func tellOfAFollowAndItsEndAndContinueAfterIt(wire: JetstreamConnection.Wire, overTLS: Bool) async throws {
    let network = try await LiveNetwork.populated().network
    let transport = CurlTransport(.init(caFile: network.tls.ca, proxy: .none))
    defer { transport.close() }
    let walter = try await PDSSession(network.account("walter"), at: network.pds.url, transport: transport)
    let host = overTLS ? network.tls.jetstream.url : network.jetstream.url
    let stream = Jetstream(
      JetstreamFilter(collections: [Self.follow]),
      host: host,
      transport: wire == .v1 ? OlderHost(base: transport) : transport)

    var elements = stream.elements(after: nil).makeAsyncIterator()
    guard case .connected(let connection)? = try await elements.next() else {
      Issue.record("it did not connect")
      return
    }
    #expect(connection.wire == wire)
    let uri = try await walter.createRecord(in: Self.follow, ["subject": network.did("zoe").description])
    let key = try #require(uri.recordKey)
    let created = try await next(of: walter.did, key, &elements)
    guard case .commit(let commit) = created.kind else { return }
    #expect(commit.record?["subject"]?.string == (try network.did("zoe").description))
    #expect(created.cursor.host == host.authority)

    try await walter.deleteRecord(uri)
    let deletion = JetstreamCommit(.delete, commit.collection, key)
    #expect(try await next(of: walter.did, key, &elements).kind == .commit(deletion))
    // Another reader continues where this one was after the follow, at the same host.
    var later = stream.elements(after: created.cursor).makeAsyncIterator()
    var kinds: [JetstreamEvent.Kind] = []
    while kinds.last != .commit(deletion) { kinds.append(try await next(of: walter.did, key, &later).kind) }
    // A host without numbers begins a little earlier, and tells of the follow again.
    if wire == .v2 { #expect(kinds == [.commit(deletion)]) }
  }

  private func next(
    of account: DID, _ key: RecordKey, _ elements: inout JetstreamElements.AsyncIterator
  ) async throws -> JetstreamEvent {
    while let element = try await elements.next() {
      // Other tests make and delete records as well.
      if case .event(let event) = element, event.did == account, case .commit(let commit) = event.kind,
        commit.rkey == key
      {
        return event
      }
    }
    throw CancellationError()
  }

  /// An event as the client of a Python SDK reads it.
  private struct Row: Decodable {
    let did: DID
    let operation: String
    let rkey: RecordKey
    let subject: DID?
  }

  @Test func aPythonSDKReadsTheStreamOfTheSandbox() async throws {
    let sandbox = Sandbox(network: .shared(accounts: 100))
    let served = try ServedSandbox(sandbox)
    let accounts = sandbox.network.accounts.map(\.did)
    sandbox.block(from: accounts[40], to: accounts[0])
    sandbox.block(from: accounts[41], to: accounts[0])
    sandbox.unblock(from: accounts[40], to: accounts[0])
    let run = try await HarnessProcess(
      "stream-reader", ["ws://127.0.0.1:\(served.port)", "3", "app.bsky.graph.block"])
    #expect(run.status == 0, "\(run.talk)")
    let rows = try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Row.self, from: Data($0.utf8))
    }
    #expect(rows.map(\.did) == [accounts[40], accounts[41], accounts[40]])
    #expect(rows.map(\.operation) == ["create", "create", "delete"])
    #expect(rows.map(\.subject) == [accounts[0], accounts[0], nil])
    #expect(rows.first?.rkey == rows.last?.rkey)
    await served.stop()
  }
}
