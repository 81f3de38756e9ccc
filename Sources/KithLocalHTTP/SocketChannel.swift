// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks
internal import KithCore

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

/// A socket as a WebSocket uses it. The owner closes the descriptor, after ``untilQuiet()``.
final class SocketChannel: ByteChannel {
  private struct State {
    var isClosed = false
    /// Reads and writes under way, and writes that wait for their turn.
    var calls = 0
    var isWriting = false
    var writers: [CheckedContinuation<Void, Never>] = []
    var owner: CheckedContinuation<Void, Never>?

    /// - Returns: nil while the owner has to wait.
    mutating func takeOwner() -> CheckedContinuation<Void, Never>? {
      isClosed && calls == 0 ? owner.take() : nil
    }
  }

  private let socket: AsyncSocket
  private let send: @Sendable (Data) async throws -> Void
  private let state = PosixMutex(State())

  /// - Parameter send: writes all bytes within the time that the client has for it.
  init(_ socket: AsyncSocket, send: @escaping @Sendable (Data) async throws -> Void) {
    self.socket = socket
    self.send = send
  }

  func read() async throws -> [UInt8]? {
    guard begin() else { return nil }
    defer { end() }
    do {
      return try await socket.read(atMost: 4_096)
    } catch SocketError.disconnected {
      return nil
    }
  }

  func write(_ bytes: [UInt8]) async throws {
    guard begin() else { throw WebSocketError(.closed) }
    defer { end() }
    await takeTurn()
    defer { passTurn() }
    guard !state.withLock(\.isClosed) else { throw WebSocketError(.closed) }
    do { try await send(Data(bytes)) } catch {
      // What is sent of a frame cannot be taken back, so no other may follow.
      close()
      throw error
    }
  }

  func close() {
    let owner = state.withLock { state in
      // Under the lock, so that the descriptor is still open.
      if !state.isClosed { shutdown(socket.socket.file.rawValue, CInt(SHUT_RDWR)) }
      state.isClosed = true
      return state.takeOwner()
    }
    owner?.resume()
  }

  /// Waits until the channel is closed and no call of it is under way. Cancelling closes it.
  func untilQuiet() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let owner = state.withLock { state in
          state.owner = continuation
          return state.takeOwner()
        }
        owner?.resume()
      }
    } onCancel: {
      close()
    }
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.calls += 1
      return true
    }
  }

  private func end() {
    let owner = state.withLock { state in
      state.calls -= 1
      return state.takeOwner()
    }
    owner?.resume()
  }

  private func takeTurn() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isWriting else {
          state.isWriting = true
          return true
        }
        state.writers.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func passTurn() {
    let next = state.withLock { state in
      guard !state.writers.isEmpty else {
        state.isWriting = false
        return CheckedContinuation<Void, Never>?.none
      }
      return state.writers.removeFirst()
    }
    next?.resume()
  }
}
