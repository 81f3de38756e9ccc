// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks
internal import KithCore
internal import KithLocalMessages

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One connection of an ``HTTPListener``.
struct HTTPConnection: Sendable {
  /// The client takes longer than the limits allow.
  private struct SlowClient: Error {}

  /// The longest stall, after which a waiting client is disconnected.
  private static let longestStall = Duration.seconds(600)

  private let socket: AsyncSocket
  private let places: ConnectionPlaces
  private let limits: LocalHTTPLimits
  private let clock: any Clock<Duration>
  private let pauses: any Clock<Duration>

  /// - Parameters:
  ///   - clock: measures the times of the limits.
  ///   - pauses: measures the pauses and stalls of responses.
  init(
    _ socket: AsyncSocket, of places: ConnectionPlaces, limits: LocalHTTPLimits, clock: any Clock<Duration>,
    pauses: any Clock<Duration>
  ) {
    self.socket = socket
    self.places = places
    self.limits = limits
    self.clock = clock
    self.pauses = pauses
    _ = fcntl(socket.socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    // Without this, the kernel holds the end of a response back until the client has acknowledged its
    // beginning, some 40 ms later.
    try? socket.socket.setValue(
      true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
  }

  /// Serves requests until the client leaves, is too slow, a response ends the connection or the task is
  /// cancelled.
  func serve(_ answer: @Sendable (LocalRequest) async throws -> LocalResponse) async {
    defer { try? socket.close() }
    var parser = HTTPRequestParser(limits: limits)
    do {
      while let request = try await receive(&parser) {
        let stays = try await send(try await answer(request), to: request, before: &parser)
        guard stays, request.keepsAlive else { return }
      }
    } catch let fault as RequestFault {
      let refused = LocalRequest(path: "/", keepsAlive: false)
      try? await write(LocalResponse.Message(fault.response, to: refused).bytes)
    } catch {
      // The client went away or is too slow, or the server is stopping.
    }
  }

  /// Returns the next request; nil if the connection has been silent for too long.
  private func receive(_ parser: inout HTTPRequestParser) async throws -> LocalRequest? {
    if let request = try parser.next() { return request }
    return try await places.whileWaiting(socket.socket.file.rawValue) { try await awaitRequest(&parser) }
  }

  private func awaitRequest(_ parser: inout HTTPRequestParser) async throws -> LocalRequest? {
    if !parser.isInRequest {
      guard let first = try? await within(limits.idle, read) else { return nil }
      parser.received(first)
      if let request = try parser.next() { return request }
    }
    let (request, advanced) = try await within(limits.receipt) { [parser] in
      var started = parser
      while true {
        started.received(try await read())
        if let request = try started.next() { return (request, started) }
      }
    }
    parser = advanced
    return request
  }

  private func read() async throws -> [UInt8] { try await socket.read(atMost: 4_096) }

  private func write(_ bytes: Data) async throws { try await write(bytes, within: limits.delivery) }

  private func write(_ bytes: Data, within span: Duration) async throws {
    // Usually the system takes everything at once, and there is nothing to wait for.
    var start = bytes.startIndex
    do { start = try socket.socket.write(bytes, from: start) } catch SocketError.blocked {}
    guard start < bytes.endIndex else { return }
    try await within(span) { [rest = bytes[start...]] in try await socket.write(rest) }
  }

  private func within<Value: Sendable>(
    _ span: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup { group in
      group.addTask { try await work() }
      group.addTask {
        try await clock.sleep(for: span)
        throw SlowClient()
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// - Parameter parser: has the beginning of what the client sent after the request.
  /// - Returns: whether the connection stays open.
  private func send(
    _ response: LocalResponse, to request: LocalRequest, before parser: inout HTTPRequestParser
  ) async throws -> Bool {
    let message = LocalResponse.Message(response, to: request)
    switch response.delivery {
    case .whole:
      try await write(message.bytes)
      return true
    case .streamed(let handler):
      try await write(message.head)
      if request.method != "HEAD" {
        try await stream(handler, inChunks: request.keepsAlive, before: &parser)
      }
      return true
    case .webSocket(let handler, let subprotocol):
      let answer = WebSocketHandshake.answer(response, to: request, subprotocol: subprotocol)
      try await write(LocalResponse.Message(answer, to: request).bytes)
      guard answer.status == response.status else { return true }
      if let handler { await speakWebSocket(handler, after: parser.rest) } else { await waitForLeave() }
    case .dribbled(let pieces, let pause):
      try await dribble(message.bytes, pieces: pieces, pause: pause)
      return true
    case .truncated:
      try await write(message.half)
    case .reset(let afterHalf):
      if afterHalf { try await write(message.half) }
      resetOnClose()
    case .stalled(let afterHead):
      if afterHead { try await write(message.head) }
      await waitForLeave()
    case .raw:
      try await write(Data(response.body))
    }
    return false
  }

  /// Runs a handler that writes a body.
  ///
  /// - Parameter inChunks: false if the body ends with the connection.
  private func stream(
    _ handler: LocalHandler<LocalResponse.Write>, inChunks: Bool, before parser: inout HTTPRequestParser
  ) async throws {
    let arrived = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      group.addTask {
        try await handler.run { piece in
          guard !piece.isEmpty else { return }
          try await write(inChunks ? Self.chunk(piece) : Data(piece), within: limits.piece)
        }
        return []
      }
      // The first of its bytes are another request; its end is the end of the handler.
      group.addTask { try await read() }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      if !first.isEmpty { return first + (try await group.next() ?? []) }
      group.cancelAll()
      // Bytes may have been read before the cancellation.
      return (try? await group.next()) ?? []
    }
    parser.received(arrived)
    if inChunks { try await write(Data("0\r\n\r\n".utf8)) }
  }

  /// A chunk of a body, in the wire format of HTTP/1.1.
  private static func chunk(_ piece: [UInt8]) -> Data {
    Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
  }

  /// Runs a handler of messages to its end.
  private func speakWebSocket(
    _ handler: LocalHandler<any WebSocketConnection>, after beginning: [UInt8]
  ) async {
    let channel = SocketChannel(socket) { bytes in try await write(bytes, within: limits.piece) }
    let webSocket = FramedWebSocket(channel, .server, beginning: beginning)
    // A task of its own, so that the client is told first when the server stops.
    let handling = Task { try await handler.run(webSocket) }
    let outcome = await withTaskCancellationHandler {
      await handling.result
    } onCancel: {
      Task {
        await webSocket.close(.goingAway, "the server stops")
        handling.cancel()
      }
    }
    if case .success = outcome {
      await webSocket.close()
      // Closing before the client has read everything would take from it what it has not read.
      try? await within(limits.piece) { await channel.untilQuiet() }
    }
    channel.close()
    await channel.untilQuiet()
  }

  private func dribble(_ bytes: Data, pieces: Int, pause: Duration) async throws {
    let size = max(1, (bytes.count + pieces - 1) / pieces)
    var remaining = bytes
    while !remaining.isEmpty {
      try await write(Data(remaining.prefix(size)))
      remaining = remaining.dropFirst(size)
      if !remaining.isEmpty { try await pauses.sleep(for: pause) }
    }
  }

  /// Makes the close of the connection a reset, even with unsent data.
  private func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      socket.socket.file.rawValue, SOL_SOCKET, SO_LINGER, &linger,
      socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  /// Discards input until the client leaves.
  private func waitForLeave() async {
    await withTaskGroup { group in
      group.addTask { while (try? await socket.read(atMost: 4_096)) != nil {} }
      group.addTask { try? await pauses.sleep(for: Self.longestStall) }
      await group.next()
      group.cancelAll()
    }
  }
}
