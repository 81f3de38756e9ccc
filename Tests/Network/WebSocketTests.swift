// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import TestSupport
import Testing

@Suite("WebSockets against the cases of Autobahn", .enabled(if: LiveNetwork.isUp))
struct WebSocketTests {
  /// Groups 12 and 13 are about compression, which is not offered.
  @Test func theClientOfLibcurlPassesTheGroupsOneToSevenAndTen() async throws {
    let verdict = try await WebSocketJudge.client(
      cases: ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*"])
    #expect(verdict.failed == [])
    #expect(verdict.cases == 247)
  }
}

@Suite("WebSockets against the large cases of Autobahn")
struct WebSocketLongTests {
  @Test func theClientOfLibcurlPassesGroupNine() async throws {
    let verdict = try await WebSocketJudge.client(cases: ["9.*"])
    #expect(verdict.failed == [])
    #expect(verdict.cases == 54)
  }
}

/// The judge of `harness/websocket_judge.py`.
private struct WebSocketJudge {
  struct Verdict: Decodable {
    let cases: Int
    var failed: [String]
  }

  private let transport = CurlTransport(.init(proxy: .none))
  private let port: String

  /// Lets a client of libcurl go through cases. The judge waits for a second in some of them, which is not enough on a busy
  /// machine: those that fail are tried once more.
  static func client(cases: [String]) async throws -> Verdict {
    var verdict = try await clientOnce(cases: cases)
    let failed = verdict.failed.compactMap { $0.split(separator: ":").first.map(String.init) }
    if !failed.isEmpty { verdict.failed = try await clientOnce(cases: failed).failed }
    return verdict
  }

  private static func clientOnce(cases: [String]) async throws -> Verdict {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-judge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "port")
    async let judge = HarnessProcess("websocket-judge", ["client", file.path] + cases)
    try await eventually { FileManager.default.fileExists(atPath: file.path) }
    try await WebSocketJudge(port: String(contentsOf: file, encoding: .utf8)).goThroughAll()
    return try JSONDecoder().decode(Verdict.self, from: Data(try await judge.output.utf8))
  }

  private func goThroughAll() async throws {
    defer { transport.close() }
    let count = try await echo("/getCaseCount").first.flatMap {
      Int(String(decoding: $0.bytes, as: UTF8.self))
    }
    // How a case ends is the judge's business.
    for number in 1...(try #require(count)) { _ = try? await echo("/runCase?case=\(number)&agent=kith") }
    _ = try? await echo("/updateReports?agent=kith")
  }

  /// Sends every message of a case back until the connection ends, and returns the messages of other pages.
  private func echo(_ path: String) async throws -> [WebSocketMessage] {
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: path))
    let answer = try await transport.openWebSocket(
      request, limits: WebSocketLimits(waitingBytes: 64 << 20, waitingMessages: 10_000))
    guard case .opened(let connection, _) = answer else { return [] }
    var messages: [WebSocketMessage] = []
    while let message = try await connection.next() {
      if path.hasPrefix("/runCase") { try await connection.send(message) } else { messages.append(message) }
    }
    return messages
  }
}
