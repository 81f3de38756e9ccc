// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLocalMessages
import TestSupport
import Testing

@testable import KithLocalHTTP

@Suite(.timeLimit(.minutes(1))) struct HTTPListenerTests {
  private let clock = ManualClock()

  /// Serves during the body; the answer is the path, unless another is given.
  private func serving(
    _ limits: LocalHTTPLimits = LocalHTTPLimits(),
    answer: @escaping @Sendable (LocalRequest) async throws -> LocalResponse = { request in
      LocalResponse(contentType: "text/plain", body: Array(request.path.utf8))
    }, _ body: (UInt16) async throws -> Void
  ) async throws {
    let listener = try HTTPListener(port: 0, limits: limits, clock: clock)
    let server = Task { await listener.serve(answer) }
    do { try await body(listener.port) } catch { Issue.record(error) }
    server.cancel()
    await server.value
  }

  private static func response(_ body: String) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private static let alone: LocalHTTPLimits = {
    var limits = LocalHTTPLimits()
    limits.refusesOtherUsers = true
    return limits
  }()

  @Test func processesOfThisUserAreAnswered() async throws {
    try await serving(Self.alone) { port in
      let client = try TestClient(port: port)
      client.write("GET /a HTTP/1.1\r\n\r\n")
      #expect(await client.read(until: "/a") == Self.response("/a"))
      client.close()
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can be another user"), arguments: [false, true],
    ["cat <&3", "exec 3>&-"])
  func processesOfOtherUsersAreRefused(isOpen: Bool, end: String) async throws {
    let answered = PosixMutex(0)
    try await serving(isOpen ? LocalHTTPLimits() : Self.alone) { request in
      if request.path == "/a" { answered.withLock { $0 += 1 } }
      return LocalResponse(contentType: "text/plain", body: Array(request.path.utf8))
    } _: { port in
      let (stranger, output) = (Process(), Pipe())
      stranger.executableURL = URL(filePath: "/usr/bin/setpriv")
      stranger.arguments = [
        "--reuid=65534", "--clear-groups", "bash", "-c",
        "exec 3<>/dev/tcp/127.0.0.1/\(port) && printf 'GET /a HTTP/1.0\\r\\n\\r\\n' >&3 && \(end)",
      ]
      stranger.standardOutput = output
      stranger.standardError = FileHandle.nullDevice
      try stranger.run()
      let text = await Task.detached { output.fileHandleForReading.readDataToEndOfFile() }.value
      stranger.waitUntilExit()
      if end.hasPrefix("cat") { #expect(String(decoding: text, as: UTF8.self).contains("200 OK") == isOpen) }
      if isOpen { return try await eventually { answered.withLock(\.self) == 1 } }
      // Connections are accepted in turn.
      let client = try TestClient(port: port)
      client.write("GET /b HTTP/1.1\r\n\r\n")
      _ = await client.read(until: "/b")
      client.close()
      #expect(answered.withLock(\.self) == 0)
    }
  }

  @Test func answersRequestsOfOneConnectionInTurn() async throws {
    try await serving { port in
      let client = try TestClient(port: port)
      client.write("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
      #expect(await client.read(until: "/b") == Self.response("/a") + Self.response("/b"))
      client.write("HEAD /c HTTP/1.1\r\n\r\n")
      #expect(await client.read(until: "\r\n\r\n").contains("Content-Length: 2"))
      client.close()
    }
  }

  @Test func listensAtAPathThatOnlyItsOwnerCanUse() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sock").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    // A process that was killed has left one.
    for _ in 1...2 {
      let listener = try HTTPListener(path: path, clock: clock)
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
      let server = Task { await listener.serve { _ in LocalResponse(contentType: nil, body: []) } }
      server.cancel()
      await server.value
    }
    let error = #expect(throws: LocalHTTPError.self) {
      try HTTPListener(path: path + String(repeating: "x", count: 100))
    }
    #expect(error?.detail.contains("107 bytes") == true)
  }

  @Test func aRefusalEndsTheConnection() async throws {
    try await serving { port in
      let client = try TestClient(port: port)
      client.write("nonsense\r\n\r\n")
      let answer = await client.read()
      #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"))
      #expect(answer.contains("\r\nConnection: close\r\n") && answer.hasSuffix("for a path\n"))
      client.close()
    }
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n1234"])
  func aClientThatStopsIsDisconnected(start: String) async throws {
    var limits = LocalHTTPLimits()
    limits.idle = .seconds(300)
    limits.receipt = .seconds(30)
    let isSilent = start.isEmpty
    try await serving(limits) { port in
      let client = try TestClient(port: port)
      client.write(start)
      // After some bytes, the shorter time counts; before them, the longer one.
      try await eventually { clock.slept.last == (isSilent ? .seconds(300) : .seconds(30)) }
      clock.advance(by: isSilent ? .seconds(300) : .seconds(30))
      #expect(await client.read().isEmpty)
      client.close()
    }
  }

  @Test func aClientThatDoesNotReadIsDisconnected() async throws {
    let huge = LocalResponse(contentType: nil, body: Array(repeating: 0x61, count: 64 << 20))
    try await serving(answer: { _ in huge }) { port in
      let client = try TestClient(port: port)
      client.write("GET / HTTP/1.1\r\n\r\n")
      try await eventually { clock.slept.last == .seconds(60) }
      clock.advance(by: .seconds(60))
      #expect(await client.read().utf8.count < 64 << 20)
      client.close()
    }
  }

  @Test func aClientWaitsWhileAllOthersAreAnswered() async throws {
    var limits = LocalHTTPLimits()
    limits.connections = 1
    let (gate, open) = AsyncStream<Void>.makeStream()
    let order = PosixMutex<[String]>([])
    try await serving(
      limits,
      answer: { request in
        order.withLock { $0.append(request.path) }
        if request.path == "/first" { for await _ in gate { break } }
        return LocalResponse(contentType: "text/plain", body: Array(request.path.utf8))
      }
    ) { port in
      let (first, second) = (try TestClient(port: port), try TestClient(port: port))
      first.write("GET /first HTTP/1.1\r\n\r\n")
      try await eventually { order.withLock(\.self) == ["/first"] }
      second.write("GET /second HTTP/1.1\r\n\r\n")
      open.yield()
      // The first connection is then idle, and gives its place to the second.
      #expect(await first.read() == Self.response("/first"))
      #expect(await second.read(until: "/second") == Self.response("/second"))
      #expect(order.withLock(\.self) == ["/first", "/second"])
      first.close()
      second.close()
    }
  }

  /// The other limits end such a connection after 30 or 300 seconds.
  @Test(arguments: ["", "GET / HTTP/1.1\r\nHo"])
  func clientsThatSendNoRequestKeepNoOthersOut(start: String) async throws {
    var limits = LocalHTTPLimits()
    limits.connections = 3
    let ended = PosixMutex(0)
    var silent: [(client: TestClient, reading: Task<Void, Never>)] = []
    try await serving(limits) { port in
      for _ in 0..<10 {
        let client = try TestClient(port: port)
        client.write(start)
        let reading = Task {
          _ = await client.read()
          ended.withLock { $0 += 1 }
        }
        silent.append((client, reading))
      }
      let late = try TestClient(port: port)
      late.write("GET /late HTTP/1.1\r\n\r\n")
      #expect(await late.read(until: "/late") == Self.response("/late"))
      // The late one has one of the three places.
      try await eventually { ended.withLock(\.self) >= 8 }
      late.close()
    }
    for (client, reading) in silent {
      await reading.value
      client.close()
    }
  }

  @Test func aFieldWithALineBreakIsLeftOut() {
    var response = LocalResponse(contentType: nil, body: [])
    response.fields = [HeaderField(name: "A", value: "b\r\nC: d"), HeaderField(name: "E", value: "f")]
    let message = LocalResponse.Message(response, to: LocalRequest(path: "/"))
    #expect(
      String(decoding: message.head, as: UTF8.self)
        == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nE: f\r\n\r\n")
  }

  @Test func saysWhenItCannotListen() throws {
    let first = try HTTPListener(port: 0)
    let taken = #expect(throws: LocalHTTPError.self) { try HTTPListener(port: first.port) }
    #expect(taken?.code == .cannotListen && taken?.subject == "127.0.0.1:\(first.port)")
  }
}
