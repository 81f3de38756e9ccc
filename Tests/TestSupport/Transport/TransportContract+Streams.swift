// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithClient
internal import Testing

extension TransportContract {
  static let streams = [
    Rule("gives the head before any of the body", givesTheHeadFirst),
    Rule("gives each piece as it comes", givesEachPieceAsItComes),
    Rule("ends at once without a body", endsAtOnceWithoutABody),
    Rule("throws a fault after the bytes before it", throwsAFaultAfterTheBytes),
    Rule("keeps what a slow reader has not read", keepsWhatWasNotRead),
    Rule("ends when the server stalls for a reader who waits", endsWhenTheServerStalls),
    Rule("aborts when the reader leaves", abortsWhenTheReaderLeaves),
    Rule("aborts without a reader", abortsWithoutAReader),
    Rule("aborts when the reading task is cancelled", abortsWhenTheReadingTaskIsCancelled),
    Rule("keeps the transport as long as there is a reader", keepsTheTransport),
    Rule("reads many streams at once", readsManyStreamsAtOnce),
  ]

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

  private func givesTheHeadFirst() async throws {
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 404 Not Here\r\nContent-Length: 4\r\n\r\n")
      blockUntilNext(released)
      connection.write("body")
    }
    let stream = try await make().open(.get(server.authority))
    #expect(stream.head.status.code == 404)
    release.yield()
    #expect(try await stream.body.text() == "body")
  }

  private func givesEachPieceAsItComes() async throws {
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
    for try await chunk in try await make().open(.get(server.authority)).body {
      pieces.append(String(decoding: chunk, as: UTF8.self))
      release.yield()
    }
    #expect(pieces == ["0", "1", "2"])
  }

  private func endsAtOnceWithoutABody() async throws {
    for head in ["204 No Content", "200 OK\r\nContent-Length: 0"] {
      let server = try ScriptedServer { connection in
        while connection.readRequest() != nil { connection.write("HTTP/1.1 \(head)\r\n\r\n") }
      }
      let transport = make()
      for _ in 0..<3 {
        #expect(try await transport.open(.get(server.authority)).body.text() == "")
      }
    }
  }

  private func throwsAFaultAfterTheBytes() async throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    for (pieces, limit, expected) in [
      (["5\r\n12345\r\n", ""], 10, TransportError.Code.truncatedBody),
      (["5\r\n12345\r\n", "zz\r\n"], 10, .truncatedBody),
      (["5\r\n12345\r\n", "5\r\n67890\r\n0\r\n\r\n"], 9, .responseTooLarge),
    ] {
      let (released, release) = AsyncStream.makeStream(of: Void.self)
      let server = try ScriptedServer { connection in
        guard connection.readRequest() != nil else { return }
        connection.write(head + pieces[0])
        blockUntilNext(released)
        connection.write(pieces[1])
      }
      let stream = try await make().open(.get(server.authority, limits: .init(responseBytes: limit)))
      var text = ""
      let error = await #expect(throws: TransportError.self) {
        for try await chunk in stream.body {
          text += String(decoding: chunk, as: UTF8.self)
          release.yield()
        }
      }
      #expect(error?.code == expected)
      #expect(text.hasPrefix("12345") && text.count <= limit)
    }
  }

  private func keepsWhatWasNotRead() async throws {
    let (sent, send) = AsyncStream.makeStream(of: Void.self)
    let body = String(repeating: "0123456789", count: 300_000)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
      connection.write(body.prefix(100_000).utf8)
      send.yield()
      connection.write(body.dropFirst(100_000).utf8)
    }
    let stream = try await make().open(.get(server.authority))
    // The reader starts when much has been sent.
    for await _ in sent { break }
    #expect(try await stream.body.text() == body)
  }

  private func endsWhenTheServerStalls() async throws {
    let (server, _) = try halfAnswer()
    let transport = make()
    // On a busy machine, the head may take longer than a short stall.
    for stall in [Duration.milliseconds(250), .seconds(2), .seconds(30)] {
      let request = TransportRequest.get(server.authority, limits: .init(stall: stall))
      let stream: TransportStream
      do {
        stream = try await transport.open(request)
      } catch let error as TransportError where error.code == .timedOut && stall < .seconds(30) {
        continue
      }
      let error = await #expect(throws: TransportError.self) { try await stream.body.text() }
      #expect(error?.code == .timedOut)
      break
    }
  }

  private func abortsWhenTheReaderLeaves() async throws {
    let (server, closed) = try halfAnswer()
    let stream = try await make().open(.get(server.authority))
    for try await _ in stream.body { break }
    for await _ in closed { break }
    await #expect(throws: CancellationError.self) { try await stream.body.text() }
  }

  private func abortsWithoutAReader() async throws {
    let (server, closed) = try halfAnswer()
    let transport = make()
    #expect(try await transport.open(.get(server.authority)).head.status == .ok)
    for await _ in closed { break }
  }

  private func abortsWhenTheReadingTaskIsCancelled() async throws {
    let (server, closed) = try halfAnswer()
    let stream = try await make().open(.get(server.authority))
    let (read, reading) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in stream.body { reading.yield() }
    }
    for await _ in read { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    for await _ in closed { break }
  }

  private func keepsTheTransport() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 3_000_000) }
    let stream = try await make().open(.get(server.authority))
    #expect(try await stream.body.text().utf8.count == 3_000_000)
  }

  private func readsManyStreamsAtOnce() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 1_000_000) }
    let transport = make()
    let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask { try await transport.open(.get(server.authority)).body.text().utf8.count }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sizes == Array(repeating: 1_000_000, count: 20))
  }
}
