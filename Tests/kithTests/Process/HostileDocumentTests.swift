// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// DID documents that are an attack.
@Suite struct HostileDocumentTests {
  private static let did = HostileRun.actor

  private func resolve(_ server: HostileServer) async throws -> KithRun {
    let run = try await KithRun(["resolve", Self.did, "--plc", server.url, "--appview", server.url])
    withExtendedLifetime(server) {}
    return run
  }

  @Test(arguments: [
    ("", "malformed: "), ("[]", "malformed: "), ("{}", "\"id\" is missing"), ("{\"id\":5}", "id: "),
    ("{\"id\":\"x\"}", "id: "),
    ("{\"id\":\"\(HostileRun.stranger)\"}", "that of \(HostileRun.stranger)"),
    ("{\"id\":\"\(did)\",\"alsoKnownAs\":5}", "alsoKnownAs: "),
    ("{\"id\":\"\(did)\",\"service\":{}}", "service: "),
  ])
  func aDocumentThatIsNoneBreaksTheProtocol(body: String, words: String) async throws {
    let run = try await resolve(HostileServer { _, connection in connection.answer(body) })
    #expect(run.status == 76)
    #expect(run.talk.hasPrefix("kith: \(Self.did): its document is "))
    #expect(run.talk.contains(words))
  }

  @Test func aDocumentOfTwoGigabytesIsCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n")
      connection.writeForever([UInt8](repeating: UInt8(ascii: " "), count: 64 << 10))
    }
    let run = try await resolve(server)
    #expect(run.status == 76)
    #expect(run.talk.contains("the answer is too large"))
  }

  @Test func redirectsInACircleAreLeft() async throws {
    let server = try HostileServer { head, connection in
      let path = head.split(separator: " ")[1]
      connection.answer("", status: "302 Found", fields: "Location: \(path)x\r\n")
    }
    let run = try await resolve(server)
    #expect(run.status == 69)
    #expect(run.talk.contains("it redirects where it may not lead"))
    #expect(server.requests.count == 4)
  }
}
