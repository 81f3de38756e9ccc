// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import HTTPTypes
import Testing

@Suite struct StreamTests {
  let transport = CurlTransport.direct()

  /// A server that starts a response of ten bytes, and reports when the client closes the connection.
  private func halfAnswer() throws -> (ScriptedServer, AsyncStream<Void>) {
    let (closed, close) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      connection.waitForClose()
      close.yield()
    }
    return (server, closed)
  }

  @Test func givesTheHeadBeforeAnyOfTheBody() async throws {
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 404 Not Here\r\nContent-Length: 4\r\n\r\n")
      blockUntilNext(released)
      connection.write("body")
    }
    let stream = try await transport.open(.get(server.authority))
    #expect(stream.head.status == .init(code: 404, reasonPhrase: "Not Here"))
    release.yield()
    #expect(try await stream.body.text() == "body")
    #expect(stream.body.metrics.connectionsOpened == 1)
  }

  @Test func givesEachPieceAsItComes() async throws {
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for number in 0..<3 {
        connection.write("1\r\n\(number)\r\n")
        blockUntilNext(released)
      }
      connection.write("0\r\n\r\n")
    }
    var pieces: [String] = []
    for try await chunk in try await transport.open(.get(server.authority)).body {
      pieces.append(String(decoding: chunk, as: UTF8.self))
      release.yield()
    }
    #expect(pieces == ["0", "1", "2"])
  }

  @Test(arguments: ["204 No Content", "200 OK\r\nContent-Length: 0"])
  func endsAtOnceWithoutABody(head: String) async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil { connection.write("HTTP/1.1 \(head)\r\n\r\n") }
    }
    for _ in 0..<3 {
      #expect(try await transport.open(.get(server.authority)).body.text() == "")
    }
    #expect(server.connections == 1)
  }

  @Test func skipsInterimAnswers() async throws {
    let server = try ScriptedServer.once(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)
    let stream = try await transport.open(.get(server.authority))
    #expect(stream.head.status.code == 200)
    #expect(try await stream.body.text() == "x")
  }

  @Test func followsRedirects() async throws {
    let server = try ScriptedServer { connection in
      while let request = connection.readRequest() {
        let isFirst = request.target == "/first"
        connection.answer(
          isFirst ? "elsewhere" : "here", status: isFirst ? "302 Found" : "200 OK",
          fields: isFirst ? "Location: /second\r\n" : "")
      }
    }
    let request = TransportRequest.get(server.authority, "/first", redirects: .follow(most: 1))
    #expect(try await transport.open(request).body.text() == "here")
    let once = TransportRequest.get(server.authority, "/first", redirects: .follow(most: 0))
    await #expect(throws: TransportError.self) { try await transport.open(once) }
  }

  @Test(arguments: [
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", TransportRequest.Limits(),
      TransportError.Code.truncatedBody
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\nzz\r\n", .init(), .truncatedBody),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n5\r\n67890\r\n0\r\n\r\n",
      .init(responseBytes: 9), .responseTooLarge
    ),
  ])
  func throwsAFaultAfterTheBytesBeforeIt(
    answer: String, limits: TransportRequest.Limits, expected: TransportError.Code
  ) async throws {
    let server = try ScriptedServer.once(answer.utf8)
    let stream = try await transport.open(.get(server.authority, limits: limits))
    var text = ""
    let error = await #expect(throws: TransportError.self) {
      for try await chunk in stream.body { text += String(decoding: chunk, as: UTF8.self) }
    }
    #expect(error?.code == expected)
    #expect(text == "12345")
  }

  @Test func throwsWhatKeptTheHeadAway() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.reset()
    }
    let error = await #expect(throws: TransportError.self) {
      try await transport.open(.get(server.authority))
    }
    #expect(error?.code == .connectionLost)
  }

  @Test func endsWhenTheServerStallsForAReaderWhoWaits() async throws {
    let (server, _) = try halfAnswer()
    let request = TransportRequest.get(server.authority, limits: .init(stall: .milliseconds(250)))
    let stream = try await transport.open(request)
    let error = await #expect(throws: TransportError.self) { try await stream.body.text() }
    #expect(error?.code == .timedOut)
  }

  @Test func abortsWhenTheReaderLeaves() async throws {
    let (server, closed) = try halfAnswer()
    let stream = try await transport.open(.get(server.authority))
    for try await _ in stream.body { break }
    for await _ in closed { break }
    await #expect(throws: CancellationError.self) { try await stream.body.text() }
  }

  @Test func abortsWithoutAReader() async throws {
    let (server, closed) = try halfAnswer()
    #expect(try await transport.open(.get(server.authority)).head.status == .ok)
    for await _ in closed { break }
  }

  @Test func abortsWhenTheReadingTaskIsCancelled() async throws {
    let (server, closed) = try halfAnswer()
    let stream = try await transport.open(.get(server.authority))
    let (read, reading) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in stream.body { reading.yield() }
    }
    for await _ in read { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    for await _ in closed { break }
  }

  @Test func abortsWhenCancelledBeforeTheHead() async throws {
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      reach.yield()
      connection.waitForClose()
      reach.yield()
    }
    var events = reached.makeAsyncIterator()
    let task = Task { try await transport.open(.get(server.authority)) }
    await events.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await events.next()
  }

  @Test func endsStreamsWhenTheTransportCloses() async throws {
    let (server, _) = try halfAnswer()
    let stream = try await transport.open(.get(server.authority))
    transport.close()
    let error = await #expect(throws: TransportError.self) { try await stream.body.text() }
    #expect(error?.code == .closed)
    let later = await #expect(throws: TransportError.self) {
      try await transport.open(.get(server.authority))
    }
    #expect(later?.code == .closed)
  }

  @Test func keepsTheTransportAsLongAsThereIsAReader() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 3_000_000) }
    let stream = try await CurlTransport.direct().open(.get(server.authority))
    #expect(try await stream.body.text().utf8.count == 3_000_000)
  }

  @Test func readsManyStreamsAtOnce() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 1_000_000) }
    let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask { try await transport.open(.get(server.authority)).body.text().utf8.count }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sizes == Array(repeating: 1_000_000, count: 20))
    #expect(server.connections <= 8)
  }
}

extension TransportBody {
  fileprivate func text() async throws -> String {
    String(decoding: try await collect(upTo: .max), as: UTF8.self)
  }
}
