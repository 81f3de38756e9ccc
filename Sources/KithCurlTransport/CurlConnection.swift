// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import Glibc
import KithClient
import KithCore
import Synchronization

/// A connection that carries any bytes: libcurl resolves the name, passes the proxy and speaks TLS, and HTTP begins above.
///
/// When it is closed, the other side has a second to end it first. Each has a thread and a multi handle of its own: libcurl may close a connection that it takes for idle when it opens
/// another one of the same handle.
final class CurlConnection: ByteChannel {
  private let link: CurlLink
  private let thread: CurlThread

  /// Starts to connect.
  ///
  /// - Throws: ``TransportError`` if the process has no descriptors or threads left.
  init(
    _ exchange: CurlExchange, _ configuration: CurlTransport.Configuration, among links: CurlLinks
  ) throws(TransportError) {
    guard let link = CurlLink(exchange), let watchdog = CurlWatchdog(longestCall: configuration.longestCall)
    else { throw TransportError(.cannotConnect, host: exchange.host, detail: "no descriptors are left") }
    guard links.add(link) else { throw TransportError(.closed, host: exchange.host) }
    let thread = CurlThread {
      CurlConnectionLoop(link, watchdog, configuration).run()
      links.remove(link)
    }
    guard let thread else {
      links.remove(link)
      throw TransportError(.cannotConnect, host: exchange.host, detail: "its thread did not start")
    }
    (self.link, self.thread) = (link, thread)
  }

  deinit {
    close()
    thread.detach()
  }

  /// Waits until the connection is there.
  func connect() async throws {
    switch await link.buffer.next() {
    case .head: return
    case .end(let result): try result.get()
    // Invariant: the loop reports the connection before any bytes, and `nothing` never leaves the buffer.
    case .bytes, .nothing: return
    }
  }

  /// Ends the time that ``TransportRequest/Limits/total`` allows: the handshake is done.
  func settle() { link.settle() }

  func read() async throws -> [UInt8]? {
    switch await link.buffer.next() {
    case .bytes(let bytes, let isPaused):
      if isPaused { link.resume() }
      return bytes
    case .end(let result):
      try result.get()
      return nil
    case .head, .nothing: return nil
    }
  }

  func write(_ bytes: [UInt8]) async throws {
    try await withCheckedThrowingContinuation { link.write(CurlLink.Write(bytes: bytes, waiter: $0)) }
  }

  func close() { link.close() }
}

/// What a ``CurlConnection`` shares with its thread.
final class CurlLink: Sendable {
  /// Bytes to send, and who waits for it.
  struct Write: Sendable {
    var bytes: [UInt8]
    var sent = 0
    let waiter: CheckedContinuation<Void, any Error>
  }

  struct State {
    /// What is to be sent after what the loop has already.
    var writes: [Write] = []
    var isSettled = false
    var isClosed = false
    /// Why the connection ended; nil while it has not, and if its owner closed it.
    var failure: (any Error)?
  }

  let exchange: CurlExchange
  let buffer = CurlBodyBuffer()
  let wakePipe: WakePipe
  private let state = PosixMutex(State())

  /// - Returns: nil if the process has no descriptors left.
  init?(_ exchange: CurlExchange) {
    guard let wakePipe = WakePipe() else { return nil }
    self.exchange = exchange
    self.wakePipe = wakePipe
  }

  func write(_ write: Write) {
    let refusal = state.withLock { state -> (any Error)? in
      if state.isClosed { return state.failure ?? TransportError(.closed, host: exchange.host) }
      state.writes.append(write)
      return nil
    }
    if let refusal { write.waiter.resume(throwing: refusal) } else { wakePipe.wake() }
  }

  /// Makes the loop look whether the reader has made room.
  func resume() { wakePipe.wake() }

  func settle() { change { $0.isSettled = true } }

  func close() { change { $0.isClosed = true } }

  /// Notes how the connection ended, and returns the writes that nothing will send.
  func end(_ result: Result<Void, any Error>) -> [Write] {
    state.withLock { state in
      if case .failure(let error) = result, !state.isClosed { state.failure = error }
      state.isClosed = true
      defer { state.writes = [] }
      return state.writes
    }
  }

  private func change(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    wakePipe.wake()
  }

  /// What the loop has to do, with the writes moved out.
  func news() -> State {
    state.withLock { state in
      defer { state.writes = [] }
      return state
    }
  }
}

/// The open connections of a transport, which ends them when it is closed.
final class CurlLinks: Sendable {
  private let links = PosixMutex<[ObjectIdentifier: CurlLink]?>([:])

  /// - Returns: false if the transport is closed.
  func add(_ link: CurlLink) -> Bool {
    links.withLock { links in
      links?[ObjectIdentifier(link)] = link
      return links != nil
    }
  }

  func remove(_ link: CurlLink) { links.withLock { $0?[ObjectIdentifier(link)] = nil } }

  /// Closes every connection and refuses new ones.
  func close() {
    let open = links.withLock { links in
      defer { links = nil }
      return links ?? [:]
    }
    for link in open.values { link.close() }
  }
}

/// The thread of a connection: connects, and then moves bytes.
private final class CurlConnectionLoop {
  private static let piece = 16 << 10
  /// How long the other side may take to end the connection.
  private static let patience = Duration.seconds(1)
  private static let patienceInBytes = 1 << 20

  private let link: CurlLink
  private let watchdog: CurlWatchdog
  private let configuration: CurlTransport.Configuration
  private let clock = CurlLoopClock()
  private var writes: [CurlLink.Write] = []
  private var isSettled = false

  init(_ link: CurlLink, _ watchdog: CurlWatchdog, _ configuration: CurlTransport.Configuration) {
    self.link = link
    self.watchdog = watchdog
    self.configuration = configuration
  }

  func run() {
    end(Result { try carryAll() })
  }

  /// Tells those that wait that the connection is over; only the first time counts.
  private func end(_ result: Result<Void, any Error>) {
    writes += link.end(result)
    let error = if case .failure(let error) = result { error } else { lost() as any Error }
    for write in writes { write.waiter.resume(throwing: error) }
    writes = []
    link.buffer.update { $0.end(result, $0.metrics) }
  }

  private func carryAll() throws {
    guard let multi = curl_multi_init() else { throw lost("libcurl has no memory") }
    defer { curl_multi_cleanup(multi) }
    guard let handle = CurlEasyHandle(configuration: configuration, clock: clock, watchdog: watchdog) else {
      throw lost("libcurl has no memory")
    }
    handle.begin(CurlTransfer(link.exchange, .stream(link.buffer), at: clock.now))
    handle.connectOnly()
    curl_multi_add_handle(multi, handle.pointer)
    defer { curl_multi_remove_handle(multi, handle.pointer) }
    try connect(handle, multi)
    link.buffer.update { $0.receiveHead([]) }
    do {
      try carry(handle)
    } catch let error as TransportError where error.code == .closed {
      end(.failure(error))
      linger(handle)
    }
  }

  /// Gives the other side a moment to end the connection first, so that what was sent arrives before a reset could. One that
  /// goes on sending is not listened to.
  private func linger(_ handle: CurlEasyHandle) {
    let end = ContinuousClock.now + Self.patience
    var left = Self.patienceInBytes
    withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 1) { buffer in
      while let socket = handle.activeSocket, left > 0 {
        var count = 0
        let code = curl_easy_recv(handle.pointer, buffer.baseAddress, buffer.count, &count)
        guard code == CURLE_AGAIN || code == CURLE_OK && count > 0 else { return }
        left -= count
        let wait = end - ContinuousClock.now
        guard wait > .zero else { return }
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if code == CURLE_AGAIN { poll(&polled, 1, Int32(wait / .milliseconds(1)) + 1) }
      }
    }
  }

  /// Drives libcurl until the connection is there.
  private func connect(_ handle: CurlEasyHandle, _ multi: UnsafeMutableRawPointer) throws {
    while true {
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      clock.update()
      var waiting: Int32 = 0
      if let message = curl_multi_info_read(multi, &waiting), message.pointee.msg == CURLMSG_DONE,
        let transfer = handle.transfer
      {
        return try handle.outcome(of: transfer, message.pointee.data.result).get()
      }
      try look(handle)
      var wake = curl_waitfd(fd: link.wakePipe.readEnd, events: Int16(CURL_WAIT_POLLIN), revents: 0)
      curl_multi_poll(multi, &wake, 1, 1_000, nil)
      link.wakePipe.drain()
    }
  }

  /// Takes what the owner wants.
  ///
  /// - Throws: ``TransportError`` when the connection is closed, or the time of the handshake is over.
  private func look(_ handle: CurlEasyHandle) throws {
    let news = link.news()
    writes += news.writes
    isSettled = news.isSettled
    guard !news.isClosed else { throw TransportError(.closed, host: link.exchange.host) }
    if !isSettled, let transfer = handle.transfer,
      clock.now >= transfer.started + transfer.exchange.limits.total
    {
      throw TransportError(
        .timedOut, host: link.exchange.host, detail: "no answer within \(link.exchange.limits.total)")
    }
  }

  /// Moves bytes until the other side or the owner ends the connection.
  private func carry(_ handle: CurlEasyHandle) throws {
    guard let socket = handle.activeSocket else { throw lost() }
    while true {
      clock.update()
      try look(handle)
      let hasRoom = try receive(handle)
      if isEnded { return }
      let isBlocked = try !send(handle)
      let events = (hasRoom ? POLLIN : 0) | (isBlocked ? POLLOUT : 0)
      var polled = [
        pollfd(fd: link.wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(events), revents: 0),
      ]
      poll(&polled, 2, isSettled ? -1 : 1_000)
      link.wakePipe.drain()
    }
  }

  private var isEnded = false

  /// Receives until nothing waits; false if the reader has to make room first.
  private func receive(_ handle: CurlEasyHandle) throws -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 1) { buffer in
      while link.buffer.update({ $0.hasRoom() }) {
        var count = 0
        let code = curl_easy_recv(handle.pointer, buffer.baseAddress, buffer.count, &count)
        switch code {
        case CURLE_AGAIN: return true
        case CURLE_OK where count == 0:
          isEnded = true
          return true
        case CURLE_OK:
          let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          link.buffer.update { _ = $0.receive(piece) }
        default: throw lost(String(cString: curl_easy_strerror(code)))
        }
      }
      return false
    }
  }

  /// Sends the pending bytes; false if the socket would block.
  private func send(_ handle: CurlEasyHandle) throws -> Bool {
    while let write = writes.first {
      var count = 0
      let code = write.bytes[write.sent...].withUnsafeBytes {
        curl_easy_send(handle.pointer, $0.baseAddress, $0.count, &count)
      }
      guard code != CURLE_AGAIN else { return false }
      guard code == CURLE_OK else { throw lost(String(cString: curl_easy_strerror(code))) }
      writes[0].sent += count
      guard writes[0].sent == write.bytes.count else { continue }
      write.waiter.resume()
      writes.removeFirst()
    }
    return true
  }

  private func lost(_ detail: String = "") -> TransportError {
    TransportError(.connectionLost, host: link.exchange.host, detail: detail)
  }
}
