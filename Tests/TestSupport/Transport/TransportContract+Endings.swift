// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import Testing

extension TransportContract {
  static let endings = [
    Rule("aborts a cancelled exchange and its connection", abortsACancelledExchange),
    Rule("starts nothing when already cancelled", startsNothingWhenAlreadyCancelled),
    Rule("leaves other exchanges alone when one is cancelled", leavesOtherExchangesAlone),
    Rule("ends every one of many cancelled exchanges", endsManyCancelledExchanges),
    Rule("aborts a stream that is cancelled before its head", abortsAStreamBeforeItsHead),
    Rule("ends exchanges in progress when closed", endsExchangesWhenClosed),
    Rule("ends streams when closed", endsStreamsWhenClosed),
    Rule("refuses requests after it is closed", refusesLaterRequests),
    Rule("closes its connections when it is released", closesConnectionsWhenReleased),
  ]

  private func abortsACancelledExchange() async throws {
    let (reached, reach) = AsyncStream.makeStream(of: String.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      reach.yield("half sent")
      connection.waitForClose()
      reach.yield("closed by the client")
    }
    var events = reached.makeAsyncIterator()
    let transport = make()
    let task = Task { try await transport.get(server) }
    #expect(await events.next() == "half sent")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await events.next() == "closed by the client")
  }

  private func startsNothingWhenAlreadyCancelled() async throws {
    let server = try ScriptedServer.answering()
    let transport = make()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.get(server)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  private func leavesOtherExchangesAlone() async throws {
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
    let transport = make()
    async let other = transport.get(server, "/other")
    await events.next()
    let task = Task { try await transport.get(server, "/cancelled") }
    await events.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    release.yield()
    #expect(try await other.text == "ok")
  }

  private func endsManyCancelledExchanges() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let transport = make()
    let tasks = (0..<100).map { _ in Task { try await transport.get(server) } }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
  }

  private func abortsAStreamBeforeItsHead() async throws {
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      reach.yield()
      connection.waitForClose()
      reach.yield()
    }
    var events = reached.makeAsyncIterator()
    let transport = make()
    let task = Task { try await transport.open(.get(server.authority)) }
    await events.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await events.next()
  }

  private func endsExchangesWhenClosed() async throws {
    let transport = make()
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      reach.yield()
      connection.waitForClose()
    }
    async let code = code { try await transport.get(server) }
    for await _ in reached { break }
    transport.close()
    #expect(await code == .closed)
  }

  private func endsStreamsWhenClosed() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      connection.waitForClose()
    }
    let transport = make()
    let stream = try await transport.open(.get(server.authority))
    transport.close()
    let error = await #expect(throws: TransportError.self) { try await stream.body.text() }
    #expect(error?.code == .closed)
    let later = await #expect(throws: TransportError.self) {
      try await transport.open(.get(server.authority))
    }
    #expect(later?.code == .closed)
  }

  private func refusesLaterRequests() async throws {
    let server = try ScriptedServer.answering()
    let transport = make()
    _ = try await transport.get(server)
    transport.close()
    transport.close()
    #expect(await code { try await transport.get(server) } == .closed)
  }

  private func closesConnectionsWhenReleased() async throws {
    let (closed, close) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil { connection.answer("ok") }
      close.yield()
    }
    _ = try await make().get(server)
    for await _ in closed { break }
    #expect(server.connections == 1)
  }
}
