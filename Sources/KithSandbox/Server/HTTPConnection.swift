// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks

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

/// One connection of an ``HTTPListener``, which answers its requests, with the configured faults.
struct HTTPConnection: Sendable {
  /// The longest stall, after which a waiting client is disconnected.
  private static let longestStall = Duration.seconds(600)

  private let socket: AsyncSocket
  /// Measures pauses and stalls.
  private let clock: any Clock<Duration>

  init(_ socket: AsyncSocket, clock: any Clock<Duration>) {
    self.socket = socket
    self.clock = clock
    _ = fcntl(socket.socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    // Without this, the kernel holds the end of an answer back until the client has acknowledged its
    // beginning, some 40 ms later.
    try? socket.socket.setValue(
      true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
  }

  /// Serves requests until the client leaves, an answer ends the connection or the task is cancelled.
  func serve(_ answer: @Sendable (HTTPRequest) async throws -> SandboxAnswer) async {
    defer { try? socket.close() }
    var parser = HTTPRequestParser()
    do {
      while true {
        while let request = try parser.next() {
          guard try await send(try await answer(request), to: request), request.keepsAlive else { return }
        }
        parser.received(try await socket.read(atMost: 4_096))
      }
    } catch let fault as XRPCFault {
      let request = HTTPRequest(path: "/", keepsAlive: false)
      _ = try? await send(SandboxAnswer(fault), to: request)
    } catch {
      // The client went away, or the sandbox is stopping.
    }
  }

  /// - Returns: whether the connection stays open.
  private func send(_ answer: SandboxAnswer, to request: HTTPRequest) async throws -> Bool {
    let message = HTTPMessage(answer, to: request)
    switch answer.delivery {
    case .whole:
      try await socket.write(message.bytes)
      return true
    case .dribbled(let pieces, let pause):
      try await dribble(message.bytes, pieces: pieces, pause: pause)
      return true
    case .truncated:
      try await socket.write(message.half)
    case .reset(let afterHalf):
      if afterHalf { try await socket.write(message.half) }
      resetOnClose()
    case .stalled(let afterHead):
      if afterHead { try await socket.write(message.head) }
      await waitForLeave()
    case .raw:
      try await socket.write(Data(answer.body))
    }
    return false
  }

  private func dribble(_ bytes: Data, pieces: Int, pause: Duration) async throws {
    let size = max(1, (bytes.count + pieces - 1) / pieces)
    var rest = bytes
    while !rest.isEmpty {
      try await socket.write(Data(rest.prefix(size)))
      rest = rest.dropFirst(size)
      if !rest.isEmpty { try await clock.sleep(for: pause) }
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
      group.addTask { try? await clock.sleep(for: Self.longestStall) }
      await group.next()
      group.cancelAll()
    }
  }
}
