// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks
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
        guard try await send(try await answer(request), to: request), request.keepsAlive else { return }
      }
    } catch let fault as RequestFault {
      _ = try? await send(fault.response, to: LocalRequest(path: "/", keepsAlive: false))
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

  private func write(_ bytes: Data) async throws {
    try await within(limits.delivery) { try await socket.write(bytes) }
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

  /// - Returns: whether the connection stays open.
  private func send(_ response: LocalResponse, to request: LocalRequest) async throws -> Bool {
    let message = LocalResponse.Message(response, to: request)
    switch response.delivery {
    case .whole:
      try await write(message.bytes)
      return true
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
