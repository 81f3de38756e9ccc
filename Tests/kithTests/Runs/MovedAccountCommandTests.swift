// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import SandboxSupport
import TestSupport
import Testing

@testable import kith

/// An account that has moved: its former server refuses every call of the session.
@Suite struct MovedAccountCommandTests {
  private struct FormerServer: HTTPTransport {
    let network: FaultyNetwork
    /// The server that the directory names; nil for the former one.
    var next: String?

    var capabilities: TransportCapabilities { network.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      if request.head.headerFields[.authorization] != nil {
        return .xrpcError(400, "AccountDeactivated", "Account is deactivated")
      }
      let answer = try await network.send(request)
      guard let next, "https://\(request.head.authority ?? "")" == FaultyNetwork.plc else { return answer }
      let text = String(decoding: answer.body, as: UTF8.self)
      return TransportResponse(
        head: answer.head, body: Array(text.replacing(FaultyNetwork.pds, with: next).utf8))
    }
  }

  @Test(arguments: ["follow dave.test", "profile set --bio x", "post hello --yes", "notifications"])
  func anyCommandSaysWhereTheAccountIsNow(line: String) async throws {
    let user = try InProcessUser(accounts: 60)
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let words = line.split(separator: " ").map(String.init)
    var server = FormerServer(network: user.network)
    let deactivated = try await user.kith(words, over: server)
    #expect(!deactivated.talk.contains("moved") && !deactivated.talk.contains("--replies"))
    server.next = "https://next.test"
    let moved = try await user.kith(words, over: server)
    #expect(moved.status != .success, "\(moved.talk)")
    #expect(moved.talk.contains("https://next.test") && moved.talk.contains("login"), "\(moved.talk)")
    #expect(!moved.talk.contains("--replies"))
  }
}
