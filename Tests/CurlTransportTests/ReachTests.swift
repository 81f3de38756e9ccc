// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import Testing

@Suite struct ReachTests {
  @Test(arguments: ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"])
  func opensNoConnectionToLoopback(host: String) async throws {
    let server = try ScriptedServer.answering()
    let transport = CurlTransport.direct()
    let code = await code { try await transport.send(.get("\(host):\(server.port)", reach: .publicOnly)) }
    #expect(code == .forbiddenAddress)
    #expect(server.connections == 0)
  }

  @Test func doesNotUseAConnectionOpenedForAnyAddress() async throws {
    let server = try ScriptedServer.answering()
    let transport = CurlTransport.direct()
    #expect(try await transport.get(server).text == "ok")
    #expect(
      await code { try await transport.send(.get(server.authority, reach: .publicOnly)) } == .forbiddenAddress
    )
    #expect(try await transport.get(server).text == "ok")
    #expect(server.requests.count == 2)
  }
}
