// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithCore

@Suite("A WebSocket over a channel", .timeLimit(.minutes(1)))
struct FramedWebSocketTests {
  /// The other side of a connection, in the hands of the test.
  private final class Peer: ByteChannel {
    private struct State {
      var arriving: [[UInt8]] = []
      var written: [UInt8] = []
      var isClosed = false
      var reader: CheckedContinuation<Void, Never>?
      var watchers: [CheckedContinuation<Void, Never>] = []
    }
    private let state = PosixMutex(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func send(_ bytes: [UInt8]) { change { $0.arriving.append(bytes) } }

    func close() { change { $0.isClosed = true } }

    private func change(_ change: (inout State) -> Void) {
      let waiting = state.withLock { state in
        change(&state)
        defer { (state.reader, state.watchers) = (nil, []) }
        return state.watchers + [state.reader].compactMap(\.self)
      }
      for one in waiting { one.resume() }
    }

    func read() async throws -> [UInt8]? {
      while true {
        let (bytes, isOver) = state.withLock { state in
          (state.arriving.isEmpty ? nil : state.arriving.removeFirst(), state.isClosed)
        }
        if let bytes { return bytes }
        if isOver { return nil }
        await withCheckedContinuation { continuation in
          let isLate = state.withLock { state in
            if !state.arriving.isEmpty || state.isClosed { return true }
            state.reader = continuation
            return false
          }
          if isLate { continuation.resume() }
        }
      }
    }

    func write(_ bytes: [UInt8]) async throws { change { $0.written += bytes } }

    /// Waits until a condition of what was written and of the end holds.
    func await(_ holds: @escaping @Sendable ([UInt8], Bool) -> Bool) async {
      while true {
        let isTrue = state.withLock { holds($0.written, $0.isClosed) }
        if isTrue { return }
        await withCheckedContinuation { continuation in
          let isLate = state.withLock { state in
            if holds(state.written, state.isClosed) { return true }
            state.watchers.append(continuation)
            return false
          }
          if isLate { continuation.resume() }
        }
      }
    }
  }

  private let peer = Peer()

  private func text(_ words: String) -> [UInt8] { WebSocketFrame.bytes(.text, Array(words.utf8), mask: nil) }

  private func connect(_ limits: WebSocketLimits = WebSocketLimits()) -> FramedWebSocket {
    FramedWebSocket(peer, .client, limits: limits, mask: { 0 })
  }

  @Test func answersPingsAlthoughNothingReadsMessages() async {
    let socket = connect()
    peer.send(WebSocketFrame.bytes(.ping, [7], mask: nil))
    let pong = WebSocketFrame.bytes(.pong, [7], mask: 0)
    await peer.await { written, _ in written == pong }
    #expect(socket.bytesReceived == 3)
  }

  @Test func deliversWhatCameBeforeTheEndAndThenTheEnd() async throws {
    let socket = connect()
    peer.send(text("one") + text("two") + WebSocketFrame.bytes(.close, [0x03, 0xE8], mask: nil))
    #expect(try await socket.next() == .text("one"))
    #expect(try await socket.next() == .text("two"))
    #expect(try await socket.next() == nil)
    #expect(try await socket.next() == nil)
    let echo = WebSocketFrame.bytes(.close, [0x03, 0xE8], mask: 0)
    await peer.await { written, isClosed in written == echo && isClosed }
  }

  @Test func takesAllMessagesThatAreThereAtOnce() async throws {
    let socket = connect()
    peer.send(text("a") + text("b") + text("c") + text("d"))
    try await eventually { socket.bytesReceived == 12 }
    // The reader counts bytes before it has taken them apart; the first message says that it has.
    var taken = try await socket.next(atMost: 3)
    while taken.count < 4 { taken += try await socket.next(atMost: 3) }
    #expect(taken == ["a", "b", "c", "d"].map { .text($0) })
  }

  @Test(arguments: [1001, 1008, 1011, 4000])
  func saysHowTheOtherSideClosed(code: UInt16) async {
    let socket = connect()
    peer.send(
      WebSocketFrame.bytes(.close, WebSocketFrame.closePayload(WebSocketCloseCode(code), "why"), mask: nil))
    let error = await #expect(throws: WebSocketError.self) { try await socket.next() }
    #expect(error?.code == .closed)
    #expect(error?.closeCode == WebSocketCloseCode(code))
  }

  @Test func aConnectionThatJustEndsIsAbandoned() async {
    let socket = connect()
    peer.close()
    #expect(await #expect(throws: WebSocketError.self) { try await socket.next() }?.code == .abandoned)
  }

  @Test func aViolationIsAnsweredWithItsCode() async {
    let socket = connect()
    peer.send([0xC1, 0x00])
    #expect(
      await #expect(throws: WebSocketError.self) { try await socket.next() }?.code == .protocolViolation)
    let words = WebSocketFrame.bytes(
      .close, WebSocketFrame.closePayload(.protocolError, "a reserved bit is set"), mask: 0)
    await peer.await { written, isClosed in written == words && isClosed }
  }

  @Test(arguments: [WebSocketLimits(waitingMessages: 3), WebSocketLimits(waitingBytes: 3)])
  func aSlowReaderIsDisconnectedAndKeepsWhatWaits(limits: WebSocketLimits) async throws {
    let socket = connect(limits)
    peer.send(text("a") + text("b") + text("c") + text("d"))
    await peer.await { _, isClosed in isClosed }
    #expect(try await socket.next(atMost: 9) == ["a", "b", "c"].map { .text($0) })
    #expect(await #expect(throws: WebSocketError.self) { try await socket.next() }?.code == .tooSlow)
  }

  @Test func oneMessageMayExceedTheBytesThatMayWait() async throws {
    let socket = connect(WebSocketLimits(waitingBytes: 3))
    peer.send(text("longer"))
    #expect(try await socket.next() == .text("longer"))
  }

  @Test func releasingTheConnectionClosesTheChannel() async {
    var socket: FramedWebSocket? = connect()
    peer.send(text("unread"))
    #expect(socket != nil)
    socket = nil
    await peer.await { _, isClosed in isClosed }
  }

  @Test(arguments: [true, false])
  func cancellingTheReaderClosesTheChannel(isWaiting: Bool) async {
    let socket = connect()
    let reading = Task { try await socket.next() }
    if isWaiting { await Task.yield() }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    await peer.await { _, isClosed in isClosed }
  }

  @Test func nothingIsSentAfterTheCloseFrame() async {
    let socket = connect()
    await socket.close()
    await socket.close(.goingAway, "twice")
    await #expect(throws: WebSocketError.self) { try await socket.send(.text("late")) }
    let frame = WebSocketFrame.bytes(.close, [0x03, 0xE8], mask: 0)
    await peer.await { written, _ in written == frame }
  }
}
