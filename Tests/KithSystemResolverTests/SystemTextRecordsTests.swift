// SPDX-License-Identifier: Apache-2.0

import KithClient
import Testing

@testable import KithSystemResolver

/// The system's resolver, asking a name server of the test.
@Suite(.timeLimit(.minutes(1))) struct SystemTextRecordsTests {
  private let name = "_atproto.alice.example.com"

  @Test func givesTheTextsOfAName() async throws {
    let server = try NameServer { [name] id in
      DNSMessage.answer(id: id, to: name, [.text(name, "did=", "did:plc:abc"), .text(name, "other")])
    }
    let texts = try await SystemTextRecords(server: server.server).texts(of: name)
    #expect(texts == ["did=did:plc:abc", "other"])
    withExtendedLifetime(server) {}
  }

  @Test(arguments: [0, 3] as [UInt8]) func givesNoneWhereThereAreNone(code: UInt8) async throws {
    let server = try NameServer { [name] id in DNSMessage.answer(id: id, to: name, [], code: code) }
    #expect(try await SystemTextRecords(server: server.server).texts(of: name) == [])
    withExtendedLifetime(server) {}
  }

  @Test func tellsAFailureFromAnAbsence() async throws {
    let server = try NameServer { [name] id in DNSMessage.answer(id: id, to: name, [], code: 2) }
    let error = await #expect(throws: TransportError.self) {
      try await SystemTextRecords(server: server.server).texts(of: name)
    }
    #expect(error?.code == .cannotResolveHost)
    withExtendedLifetime(server) {}
  }

  @Test func isGivenUpWhenItsTimeIsOver() async throws {
    let server = try NameServer { _ in nil }
    let error = await #expect(throws: TransportError.self) {
      try await SystemTextRecords(server: server.server, limit: .milliseconds(50)).texts(of: name)
    }
    #expect(error?.code == .timedOut)
    withExtendedLifetime(server) {}
  }

  @Test func leavesAtOnceWhenCancelled() async throws {
    let server = try NameServer { _ in nil }
    let lookUp = Task { try await SystemTextRecords(server: server.server).texts(of: name) }
    lookUp.cancel()
    await #expect(throws: CancellationError.self) { try await lookUp.value }
    withExtendedLifetime(server) {}
  }

  @Test func asksForNoNameThatIsTooLong() async throws {
    let long = "_atproto." + Array(repeating: "abcdefghi", count: 25).joined(separator: ".")
    #expect(try await SystemTextRecords().texts(of: long) == [])
  }
}
