// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// One end of a connection in memory. With WebSockets over it, limits, pings and close codes are those of a socket.
final class PipeEnd: ByteChannel {
  private let incoming: Pipe
  private let outgoing: Pipe

  /// An end whose other side takes everything and says nothing.
  convenience init() { self.init(incoming: Pipe(), outgoing: Pipe()) }

  private init(incoming: Pipe, outgoing: Pipe) { (self.incoming, self.outgoing) = (incoming, outgoing) }

  /// Two connected ends.
  static func pair() -> (PipeEnd, PipeEnd) {
    let (one, other) = (Pipe(), Pipe())
    return (PipeEnd(incoming: one, outgoing: other), PipeEnd(incoming: other, outgoing: one))
  }

  func read() async throws -> [UInt8]? { await incoming.read() }

  func write(_ bytes: [UInt8]) async throws {
    guard outgoing.write(bytes) else { throw WebSocketError(.abandoned) }
  }

  func close() {
    incoming.end(dropping: true)
    // The other side still reads what was written.
    outgoing.end(dropping: false)
  }

  /// One direction.
  private final class Pipe: Sendable {
    private struct State {
      var bytes: [UInt8] = []
      var isOver = false
    }

    private let state = Watched(State())

    func read() async -> [UInt8]? {
      await state.until { !$0.bytes.isEmpty || $0.isOver }
      return state.withLock { state in
        defer { state.bytes = [] }
        return state.bytes.isEmpty ? nil : state.bytes
      }
    }

    /// - Returns: false if it is over.
    func write(_ bytes: [UInt8]) -> Bool {
      state.withLock { state in
        guard !state.isOver else { return false }
        state.bytes += bytes
        return true
      }
    }

    /// - Parameter dropping: whether what waits is not read any more.
    func end(dropping: Bool) {
      state.withLock { state in
        state.isOver = true
        if dropping { state.bytes = [] }
      }
    }
  }
}
