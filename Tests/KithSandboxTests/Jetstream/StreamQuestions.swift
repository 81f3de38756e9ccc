// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import KithLocalMessages
import SandboxSupport
import TestSupport
import Testing

@testable import KithSandbox

/// A sandbox whose clock stands still, and clients of its Jetstream.
struct StreamQuestions {
  let sandbox: Sandbox
  let alice: DID
  let bob: DID
  /// An account that alice does not follow.
  let stranger: DID
  private let answers: @Sendable (LocalRequest) async throws -> LocalResponse

  static let start = Instant(microsecondsSinceEpoch: 1_760_000_000_000_500)
  static let path = "/xrpc/network.bsky.jetstream.subscribeEvents"

  init(_ stream: SandboxStream = SandboxStream(), accounts: Int = 100, days: Int = 0) {
    let network = SandboxNetwork.shared(accounts: accounts)
    sandbox = Sandbox(
      network: network, configuration: .init(days: days, stream: stream, wall: { Self.start }))
    answers = sandbox.answers(at: "http://127.0.0.1:2583")
    (alice, bob) = (network.dids[0], network.dids[1])
    let followed = sandbox.records(of: alice, in: App.Bsky.Graph.Follow.nsid)
      .compactMap { $0.value["subject"]?.string }
    stranger = network.dids.dropFirst(2).first { !followed.contains($0.description) } ?? bob
  }

  func answer(
    _ query: String = "", path: String = Self.path, fields: [HeaderField] = []
  ) async throws -> LocalResponse {
    try await answers(LocalRequest(path: path, query: query, fields: fields))
  }

  /// Connects to the newer wire.
  func connect(_ query: String = "", limits: WebSocketLimits = WebSocketLimits()) async throws -> StreamReader
  {
    try StreamReader(try await answer(query), limits)
  }

  /// Connects to the older wire.
  func connectOlder(_ query: String = "") async throws -> StreamReader {
    try StreamReader(try await answer(query, path: "/subscribe"), WebSocketLimits())
  }

  /// Lets this number of events happen, each of alice.
  func happen(_ count: Int) {
    for _ in 0..<count { sandbox.set(.active, of: alice) }
  }
}

/// A client of a Jetstream.
struct StreamReader {
  private struct Refused: Error { let status: Int }

  let connection: any WebSocketConnection
  let subprotocol: String?

  init(_ answer: LocalResponse, _ limits: WebSocketLimits) throws {
    guard case .opened(let connection, let subprotocol) = WebSocketAnswer(answer, limits: limits) else {
      throw Refused(status: answer.status)
    }
    (self.connection, self.subprotocol) = (connection, subprotocol)
  }

  /// The next frame as text; nil at the normal end.
  func text() async throws -> String? {
    try await connection.next().map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// The numbers of the next events.
  func numbers(_ count: Int) async throws -> [Int64] {
    var numbers: [Int64] = []
    for _ in 0..<count {
      let frame = try JSONCoding.decode(DataValue.self, from: Array((try await text() ?? "{}").utf8))
      numbers.append(frame["cursor"]?.integer ?? frame["payload"]?["seq"]?.integer ?? -1)
    }
    return numbers
  }

  /// How the connection ends, after what it still delivers.
  func end() async -> WebSocketError? {
    do {
      while try await connection.next() != nil {}
      return nil
    } catch {
      return error as? WebSocketError
    }
  }
}
