// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import Testing

@Suite struct CancellationTests {
  let transport = CurlTransport.direct()

  @Test func abortsTheTransferAndItsConnection() async throws {
    let (reached, reach) = AsyncStream.makeStream(of: String.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      reach.yield("half sent")
      connection.waitForClose()
      reach.yield("closed by the client")
    }
    var events = reached.makeAsyncIterator()
    let task = Task { try await transport.get(server) }
    #expect(await events.next() == "half sent")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await events.next() == "closed by the client")
  }

  @Test func startsNothingWhenAlreadyCancelled() async throws {
    let server = try ScriptedServer.answering()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.get(server)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test func leavesOtherTransfersAlone() async throws {
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard let request = connection.readRequest() else { return }
      reach.yield()
      if request.target == "/cancelled" { return connection.waitForClose() }
      blockUntilNext(released)
      connection.answer("ok")
    }
    var events = reached.makeAsyncIterator()
    async let other = transport.get(server, "/other")
    await events.next()
    let task = Task { try await transport.get(server, "/cancelled") }
    await events.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    release.yield()
    #expect(try await other.text == "ok")
  }

  @Test func endsEveryOneOfManyCancelledTransfers() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let tasks = (0..<100).map { _ in Task { try await transport.get(server) } }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
  }
}
