// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Hostile DID documents.
@Suite struct HostileDocumentTests {
  private static let did = HostileRun.actor

  private func resolve(_ server: HostileServer) async throws -> KithRun {
    let run = try await KithRun.inside(["resolve", Self.did, "--plc", server.url, "--appview", server.url])
    withExtendedLifetime(server) {}
    return run
  }

  @Test(
    arguments: [
      ("", "json.malformed", nil), ("[]", "lexicon.mismatch", nil), ("{}", "lexicon.mismatch", nil),
      ("{\"id\":5}", "lexicon.mismatch", "id"), ("{\"id\":\"x\"}", "lexicon.mismatch", "id"),
      ("{\"id\":\"\(HostileRun.stranger)\"}", nil, nil),
      ("{\"id\":\"\(did)\",\"alsoKnownAs\":5}", "lexicon.mismatch", "alsoKnownAs"),
      ("{\"id\":\"\(did)\",\"service\":{}}", "lexicon.mismatch", "service"),
    ] as [(String, String?, String?)])
  func anInvalidDocumentBreaksTheProtocol(body: String, cause: String?, path: String?) async throws {
    let run = try await resolve(HostileServer { _, connection in connection.answer(body) })
    #expect(run.status == 76)
    let message = try #require(try run.message("identity.malformedDocument"))
    #expect(message.text("subject") == Self.did)
    #expect(message.text("cause") == cause && message.text("path") == path)
  }

  @Test func aDocumentOfTwoGigabytesIsCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n")
      connection.writeForever([UInt8](repeating: UInt8(ascii: " "), count: 64 << 10))
    }
    let run = try await resolve(server)
    #expect(run.status == 76)
    #expect(try run.messages.first?.text("cause") == "transport.responseTooLarge")
  }

  @Test func redirectLoopsEnd() async throws {
    let server = try HostileServer { head, connection in
      let path = head.split(separator: " ")[1]
      connection.answer("", status: "302 Found", fields: "Location: \(path)x\r\n")
    }
    let run = try await resolve(server)
    #expect(run.status == 69)
    #expect(try run.messages.first?.text("cause") == "transport.tooManyRedirects")
    #expect(server.requests.count == 4)
  }
}
