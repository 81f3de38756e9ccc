// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import TestSupport
import Testing

@testable import KithLocalHTTP

@Suite(.timeLimit(.minutes(1))) struct StreamedResponseTests {
  private struct Broken: Error {}

  private let clock = ManualClock()

  private func serving(
    _ answer: @escaping @Sendable (LocalRequest) async throws -> LocalResponse,
    _ body: (TestClient) async throws -> Void
  ) async throws {
    let listener = try HTTPListener(port: 0, clock: clock)
    let server = Task { await listener.serve(answer) }
    let client = try TestClient(port: listener.port)
    do { try await body(client) } catch { Issue.record(error) }
    client.close()
    server.cancel()
    await server.value
  }

  private static let chunked =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test func aBodyIsWrittenPieceByPieceAndTheConnectionGoesOn() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    try await serving({ request in
      guard request.path == "/live" else { return LocalResponse(contentType: nil, body: []) }
      return .streamed(contentType: "text/plain") { write in
        try await write(Array("first".utf8))
        try await write([])
        for await _ in gate { break }
        try await write(Array("0123456789abcdef".utf8))
      }
    }) { client in
      client.write("GET /live HTTP/1.1\r\n\r\n")
      #expect(await client.read(until: "first\r\n") == Self.chunked + "5\r\nfirst\r\n")
      // It arrives during the response, and is answered after it.
      client.write("GET /next HTTP/1.1\r\n\r\n")
      open.yield()
      let rest = await client.read(until: "Content-Length: 0\r\n\r\n")
      #expect(rest == "10\r\n0123456789abcdef\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
  }

  @Test(arguments: ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"])
  func withoutFurtherRequestsTheBodyEndsWithTheConnection(request: String) async throws {
    try await serving({ _ in .streamed(contentType: "text/plain") { try await $0(Array("all".utf8)) } }) {
      client in
      client.write(request)
      #expect(
        await client.read() == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nall")
    }
  }

  @Test func theHeadHasNoBody() async throws {
    try await serving({ _ in .streamed(contentType: "text/plain") { _ in Issue.record("it ran") } }) {
      client in
      client.write("HEAD / HTTP/1.1\r\n\r\n")
      #expect(await client.read(until: "\r\n\r\n") == Self.chunked)
    }
  }

  @Test func aFailureCutsTheBodyOff() async throws {
    try await serving({ _ in
      .streamed(contentType: "text/plain") { write in
        try await write(Array("half".utf8))
        throw Broken()
      }
    }) { client in
      client.write("GET / HTTP/1.1\r\n\r\n")
      #expect(await client.read() == Self.chunked + "4\r\nhalf\r\n")
    }
  }

  @Test func theHandlerEndsWhenTheClientLeaves() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    try await serving({ _ in
      .streamed(contentType: "text/plain") { write in
        try await write(Array("a".utf8))
        // Only ends when it is cancelled.
        try? await clock.sleep(for: .seconds(3_600))
        end.yield()
      }
    }) { client in
      client.write("GET / HTTP/1.1\r\n\r\n")
      _ = await client.read(until: "a\r\n")
      client.shutDown()
      for await _ in ends { break }
    }
  }

  @Test func aClientThatDoesNotReadIsDisconnected() async throws {
    let failures = PosixMutex(0)
    try await serving({ _ in
      .streamed(contentType: "text/plain") { write in
        do {
          while true { try await write(Array(repeating: 0x61, count: 1 << 20)) }
        } catch {
          failures.withLock { $0 += 1 }
          throw error
        }
      }
    }) { client in
      client.write("GET / HTTP/1.1\r\n\r\n")
      // The system may take one more piece meanwhile, so that the next one waits.
      try await eventually {
        if clock.slept.last == .seconds(5) { clock.advance(by: .seconds(5)) }
        return failures.withLock(\.self) == 1
      }
    }
  }
}
