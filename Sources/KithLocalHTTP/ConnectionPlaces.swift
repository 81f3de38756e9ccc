// SPDX-License-Identifier: Apache-2.0

internal import KithCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The places of an ``HTTPListener``'s connections.
///
/// When all are taken and a client comes, the connection ends that has waited for its request for longest: otherwise
/// clients that send half a head, or nothing, would keep all others out.
final class ConnectionPlaces: Sendable {
  private struct State {
    var free: Int
    /// Whether a client waits for a place, and no connection could be ended for it.
    var isWanted = false
    /// The sockets of the connections that wait for a request, by the order in which they began to wait.
    var waiting: [UInt64: CInt] = [:]
    var nextTurn: UInt64 = 0

    /// - Returns: false if no connection waits for a request.
    mutating func endLongestWait() -> Bool {
      guard let longest = waiting.keys.min(), let socket = waiting.removeValue(forKey: longest) else {
        return false
      }
      // What it has sent already is still read, and answered if it is a request.
      shutdown(socket, CInt(SHUT_RD))
      return true
    }
  }

  private let state: PosixMutex<State>
  private let slots: AsyncStream<Void>
  private let slot: AsyncStream<Void>.Continuation

  init(_ count: Int) {
    state = PosixMutex(State(free: count))
    (slots, slot) = AsyncStream<Void>.makeStream()
    for _ in 0..<count { slot.yield() }
  }

  /// Takes a place, which may end another connection. Called by one task at a time.
  ///
  /// - Returns: false if the task was cancelled.
  func take() async -> Bool {
    state.withLock { if $0.free == 0, !$0.endLongestWait() { $0.isWanted = true } }
    for await _ in slots {
      state.withLock { ($0.free, $0.isWanted) = ($0.free - 1, false) }
      return !Task.isCancelled
    }
    return false
  }

  /// Gives a place back.
  func free() {
    state.withLock { $0.free += 1 }
    slot.yield()
  }

  /// Runs while a connection waits for a request; another client may end it then.
  func whileWaiting<Value>(_ socket: CInt, _ wait: () async throws -> Value) async rethrows -> Value {
    let turn = state.withLock { state in
      state.nextTurn += 1
      state.waiting[state.nextTurn] = socket
      if state.isWanted { state.isWanted = !state.endLongestWait() }
      return state.nextTurn
    }
    // Before the socket is closed, as its number may then be another's.
    defer { state.withLock { $0.waiting[turn] = nil } }
    return try await wait()
  }
}
