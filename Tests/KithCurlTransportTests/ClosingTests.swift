// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCurlTransport
import TestSupport
import Testing

@Suite struct ClosingTests {

  /// Runs in a separate process, in which no other code opens descriptors or threads.
  @Test func leaksNeitherDescriptorNorThread() async {
    await #expect(processExitsWith: .success) {
      func count(_ folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
      }
      func useAndClose() async throws {
        let server = try ScriptedServer.answering()
        let transport = CurlTransport.direct()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<8 { group.addTask { _ = try await transport.get(server) } }
          for _ in 0..<4 { group.addTask { _ = try await transport.open(.get(server.authority)) } }
          try await group.waitForAll()
        }
        transport.close()
      }
      for _ in 0..<5 { try await useAndClose() }
      let before = try (descriptors: count("fd"), threads: count("task"))
      let rounds = 40
      for _ in 0..<rounds { try await useAndClose() }
      // The server's threads and descriptors go away soon; a leak would not.
      var attempts = 0
      while try count("fd") > before.descriptors || count("task") >= before.threads + rounds {
        attempts += 1
        try #require(attempts < 200_000)
        sched_yield()
      }
    }
  }
}
