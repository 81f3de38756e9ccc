// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCurlTransport
import TestSupport
import Testing

@Suite struct StreamTests {
  let transport = CurlTransport.direct()

  @Test func countsTheConnectionItOpened() async throws {
    let server = try ScriptedServer.answering()
    let stream = try await transport.open(.get(server.authority))
    #expect(try await stream.body.text() == "ok")
    #expect(stream.body.metrics.connectionsOpened == 1)
  }

  @Test func reusesConnections() async throws {
    let server = try ScriptedServer.answering()
    for _ in 0..<3 { #expect(try await transport.open(.get(server.authority)).body.text() == "ok") }
    #expect(server.connections == 1)
  }

  @Test func opensNoMoreConnectionsThanAllowed() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 100_000) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { _ = try await transport.open(.get(server.authority)).body.text() }
      }
      try await group.waitForAll()
    }
    #expect((1...8).contains(server.connections))
  }
}
