// SPDX-License-Identifier: Apache-2.0

/// A connection that carries bytes in both directions, such as a socket.
package protocol ByteChannel: AnyObject, Sendable {
  /// Waits for bytes, at least one; nil after the other side ended its direction, and after ``close()``.
  ///
  /// Called by one task at a time.
  func read() async throws -> [UInt8]?

  /// Writes all bytes, and waits until the system has taken them. Calls of several tasks do not mix.
  func write(_ bytes: [UInt8]) async throws

  /// Ends both directions at once. Waiting calls end.
  func close()
}

/// A WebSocket of frames over a channel, after the handshake.
///
/// A task of its own reads the channel, so pings are answered and a slow reader of messages is noticed; it ends with the
/// connection, or when this object is released.
package final class FramedWebSocket: WebSocketConnection {
  private let core: Core

  /// Starts to read the channel.
  ///
  /// - Parameters:
  ///   - beginning: what was read of the channel after the handshake.
  ///   - mask: gives a client the key of each frame, which nothing sent before should tell.
  package init(
    _ channel: some ByteChannel, _ role: WebSocketRole, beginning: [UInt8] = [],
    limits: WebSocketLimits = WebSocketLimits(),
    mask: @escaping @Sendable () -> UInt32 = { UInt32.random(in: .min ... .max) }
  ) {
    core = Core(channel, role, limits, mask)
    Task { [core] in await core.read(beginning) }
  }

  deinit { core.release() }

  package var bytesReceived: Int { core.bytesReceived }

  package func next() async throws -> WebSocketMessage? { try await core.next(atMost: 1).first }

  package func next(atMost most: Int) async throws -> [WebSocketMessage] { try await core.next(atMost: most) }

  package func send(_ message: WebSocketMessage) async throws {
    try await core.send(message.isText ? .text : .binary, message.bytes)
  }

  package func ping() async throws { try await core.send(.ping, []) }

  package func drop() { core.release(WebSocketError(.abandoned)) }

  package func close(_ code: WebSocketCloseCode, _ reason: String) async { await core.close(code, reason) }
}

extension FramedWebSocket {
  /// What the reading task and the owner share.
  private final class Core: Sendable {
    private struct State {
      var inbox: WebSocketInbox
      var bytesReceived = 0
      /// Whether this side has sent its close frame, after which it sends nothing.
      var isClosed = false
      var reader: CheckedContinuation<Void, Never>?
    }

    private let channel: any ByteChannel
    private let role: WebSocketRole
    private let limits: WebSocketLimits
    private let mask: @Sendable () -> UInt32
    private let state: PosixMutex<State>

    init(
      _ channel: any ByteChannel, _ role: WebSocketRole, _ limits: WebSocketLimits,
      _ mask: @escaping @Sendable () -> UInt32
    ) {
      self.channel = channel
      self.role = role
      self.limits = limits
      self.mask = mask
      state = PosixMutex(State(inbox: WebSocketInbox(limits)))
    }

    var bytesReceived: Int { state.withLock { $0.bytesReceived } }

    // MARK: - The reading task

    /// Reads the channel to its end.
    func read(_ beginning: [UInt8]) async {
      var decoder = WebSocketDecoder(role, messageBytes: limits.messageBytes)
      do {
        var bytes: [UInt8]? = beginning
        while let arrived = bytes {
          state.withLock { $0.bytesReceived += arrived.count }
          decoder.receive(arrived)
          while let event = try decoder.next() {
            guard await take(event) else { return channel.close() }
          }
          bytes = try await channel.read()
        }
        end(.failure(WebSocketError(.abandoned)))
      } catch let violation as WebSocketDecoder.Violation {
        await close(violation.code, violation.words)
        let isLarge = violation.code == .messageTooLarge
        end(
          .failure(WebSocketError(isLarge ? .messageTooLarge : .protocolViolation, detail: violation.words)))
      } catch {
        end(.failure(error))
      }
      channel.close()
    }

    /// - Returns: false at the end of the connection.
    private func take(_ event: WebSocketDecoder.Event) async -> Bool {
      switch event {
      case .message(let message):
        guard update({ $0.inbox.receive(message) }) else {
          await close(.policyViolation, "the messages are not read fast enough")
          return false
        }
      case .ping(let payload): try? await send(.pong, payload)
      case .pong: break
      case .close(let code, let reason):
        // First, because the owner may release the connection at its end.
        await close(code == .noStatus ? .normal : code, "")
        end(
          code == .normal ? .success(()) : .failure(WebSocketError(.closed, closeCode: code, detail: reason)))
        return false
      }
      return true
    }

    private func end(_ outcome: Result<Void, any Error>) { update { $0.inbox.end(outcome) } }

    /// Changes the state, and wakes the reader of messages if there is something for it.
    @discardableResult
    private func update<Value>(_ change: (inout State) -> Value) -> Value {
      let (value, reader) = state.withLock { state in
        let value = change(&state)
        return (value, state.inbox.hasNews ? state.reader.take() : nil)
      }
      reader?.resume()
      return value
    }

    // MARK: - The owner

    func next(atMost most: Int) async throws -> [WebSocketMessage] {
      while true {
        if Task.isCancelled { release(CancellationError()) }
        if let taken = state.withLock({ $0.inbox.take(atMost: most) }) { return try taken.get() }
        await withTaskCancellationHandler {
          await withCheckedContinuation { continuation in
            let isLate = state.withLock { state in
              guard !state.inbox.hasNews else { return true }
              state.reader = continuation
              return false
            }
            if isLate { continuation.resume() }
          }
        } onCancel: {
          release(CancellationError())
        }
      }
    }

    func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) async throws {
      guard !state.withLock({ $0.isClosed }) else { throw WebSocketError(.closed) }
      try await write(opcode, payload)
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) async throws {
      try await channel.write(
        WebSocketFrame.bytes(opcode, payload, mask: role == .client ? mask() : nil))
    }

    /// Sends the close frame, once.
    func close(_ code: WebSocketCloseCode, _ reason: String) async {
      guard
        state.withLock({ state in
          defer { state.isClosed = true }
          return !state.isClosed
        })
      else { return }
      try? await write(.close, WebSocketFrame.closePayload(code, reason))
    }

    /// Ends the connection without a close frame, unless it has ended.
    func release(_ error: any Error = WebSocketError(.closed)) {
      end(.failure(error))
      channel.close()
    }
  }
}

/// The messages that wait for their reader, and how the connection ended. A plain state machine.
struct WebSocketInbox {
  private let limits: WebSocketLimits
  private var arrived: [WebSocketMessage] = []
  /// Those that arrived before, the first one last.
  private var earlier: [WebSocketMessage] = []
  private var bytes = 0
  private var outcome: Result<Void, any Error>?

  init(_ limits: WebSocketLimits) { self.limits = limits }

  /// Whether ``take()`` would return something.
  var hasNews: Bool { count > 0 || outcome != nil }

  private var count: Int { arrived.count + earlier.count }

  /// Adds a message; false if more waits than the limits allow, which ends the connection. What waits can still be taken.
  mutating func receive(_ message: WebSocketMessage) -> Bool {
    guard outcome == nil else { return false }
    let isTooMuch = count >= limits.waitingMessages || bytes + message.bytes.count > limits.waitingBytes
    guard count == 0 || !isTooMuch else {
      outcome = .failure(WebSocketError(.tooSlow))
      return false
    }
    arrived.append(message)
    bytes += message.bytes.count
    return true
  }

  /// Records how the connection ended; only the first end counts.
  mutating func end(_ outcome: Result<Void, any Error>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// The next messages, or the end, which a normal one shows as none; nil if there is nothing yet.
  mutating func take(atMost most: Int) -> Result<[WebSocketMessage], any Error>? {
    var taken: [WebSocketMessage] = []
    while taken.count < most {
      if earlier.isEmpty {
        earlier = arrived.reversed()
        arrived.removeAll(keepingCapacity: earlier.count < 256)
      }
      guard let message = earlier.popLast() else { break }
      bytes -= message.bytes.count
      taken.append(message)
    }
    return taken.isEmpty ? outcome.map { $0.map { [] } } : .success(taken)
  }
}
