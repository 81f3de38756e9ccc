// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import KithClient
import Synchronization

/// The event loop: takes commands from the mailbox, drives libcurl, delivers responses.
///
/// Not `Sendable`: created, used and freed on the loop thread, like all easy handles. Other threads only use
/// the ``CurlMailbox``.
final class CurlMultiLoop {
  private static let idleHandles = 64
  private static let longestWait = Duration.seconds(60)

  private static let globalStart = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private let multi: UnsafeMutableRawPointer?
  private let sockets: CurlSockets
  private let mailbox: CurlMailbox
  /// Outlives the multi handle, which closes its sockets through it.
  private let watchdog: CurlWatchdog
  private let configuration: CurlTransport.Configuration
  private let clock = CurlLoopClock()
  private var active: [CurlEasyHandle] = []
  private var idle: [CurlEasyHandle] = []
  /// No deadline of an active exchange is earlier than this.
  private var nextDeadline: ContinuousClock.Instant?

  init(
    _ mailbox: CurlMailbox, _ wakePipe: WakePipe, _ watchdog: CurlWatchdog,
    _ configuration: CurlTransport.Configuration
  ) {
    self.mailbox = mailbox
    self.watchdog = watchdog
    self.configuration = configuration
    sockets = CurlSockets(wakePipe, clock)
    multi = Self.globalStart == CURLE_OK ? curl_multi_init() : nil
    guard let multi else { return }
    kith_curl_multi_setopt_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    kith_curl_multi_setopt_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost)
    kith_curl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, configuration.idleConnections)
    sockets.observe(multi)
  }

  deinit {
    idle.removeAll()
    curl_multi_cleanup(multi)
  }

  /// Runs until the mailbox is closed, then ends all active exchanges.
  func run() {
    let watcher = watchdog.start()
    defer {
      watchdog.stop()
      watcher?.join()
    }
    var commands: [CurlMailbox.Command] = []
    var events: [CurlSockets.Event] = []
    while mailbox.receive(into: &commands) {
      clock.update()
      for command in commands { obey(command) }
      commands.removeAll(keepingCapacity: true)
      let isCut = act(on: events)
      if isCut { clock.update() }
      events.removeAll(keepingCapacity: true)
      finishCompleted(afterCut: isCut)
      if let nextDeadline, clock.now >= nextDeadline { finishOverdue() }
      if mailbox.sleepIfEmpty() { sockets.wait(milliseconds: wait, into: &events) }
    }
    for command in commands { obey(command) }
    while let handle = active.last {
      finish(handle) { .failure(TransportError(.closed, host: $0.exchange.host)) }
    }
  }

  /// Lets libcurl handle the sockets that are ready and an expired timer; true if the watchdog had to end a
  /// call.
  private func act(on events: [CurlSockets.Event]) -> Bool {
    var running: Int32 = 0
    var isCut = false
    for event in events {
      let ended = watchdog.during(event.socket) {
        curl_multi_socket_action(multi, event.socket, event.mask, &running)
      }
      isCut = isCut || ended
    }
    if sockets.takeDueTimer() {
      let ended = watchdog.during(nil) {
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
      }
      isCut = isCut || ended
    }
    return isCut
  }

  /// How long to wait if neither a socket nor a command needs attention, in milliseconds.
  private var wait: Int32 {
    var end = clock.now + Self.longestWait
    if let nextDeadline { end = min(end, nextDeadline) }
    if let timer = sockets.timer { end = min(end, timer) }
    let (seconds, attoseconds) = max(end - clock.now, .zero).components
    let partial = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(seconds) * 1000 + Int32(partial)
  }

  private func obey(_ command: CurlMailbox.Command) {
    switch command {
    case .start(let exchange, let recipient): start(exchange, recipient)
    case .cancel(let exchange):
      guard let handle = handle(of: exchange) else { return }
      finish(handle) { _ in .failure(CancellationError()) }
    case .resume(let exchange):
      guard let handle = handle(of: exchange) else { return }
      handle.resume()
      watch(handle)
    }
  }

  private func handle(of exchange: CurlExchange) -> CurlEasyHandle? {
    active.first { $0.transfer?.exchange === exchange }
  }

  /// Ensures that the loop runs when the exchange's next limit may be exceeded.
  private func watch(_ handle: CurlEasyHandle) {
    guard let check = handle.transfer?.nextCheck(after: clock.now) else { return }
    nextDeadline = min(nextDeadline ?? check, check)
  }

  private func start(_ exchange: CurlExchange, _ recipient: CurlRecipient) {
    guard !exchange.isCancelled.load(ordering: .acquiring) else { return recipient.fail(CancellationError()) }
    guard let multi,
      let handle = idle.popLast()
        ?? CurlEasyHandle(configuration: configuration, clock: clock, watchdog: watchdog)
    else { return recipient.fail(Self.outOfMemory(exchange)) }
    handle.begin(CurlTransfer(exchange, recipient, at: clock.now))
    handle.place = active.count
    active.append(handle)
    watch(handle)
    if curl_multi_add_handle(multi, handle.pointer) != CURLM_OK {
      finish(handle) { .failure(Self.outOfMemory($0.exchange)) }
    }
  }

  private static func outOfMemory(_ exchange: CurlExchange) -> TransportError {
    TransportError(.cannotConnect, host: exchange.host, detail: "libcurl has no memory")
  }

  /// - Parameter isCut: whether the watchdog shut a connection down, which libcurl only knows as broken.
  private func finishCompleted(afterCut isCut: Bool) {
    var waiting: Int32 = 0
    while let message = curl_multi_info_read(multi, &waiting) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      var context: UnsafeMutableRawPointer?
      kith_curl_easy_getinfo_private(message.pointee.easy_handle, &context)
      let code = message.pointee.data.result
      let handle = CurlEasyHandle.of(context)
      if isCut, code != CURLE_OK { handle.transfer?.fail(.timedOut, "the host sent frames without a pause") }
      finish(handle) { handle.outcome(of: $0, code) }
    }
  }

  private func finishOverdue() {
    for handle in active.reversed() where handle.isOverdue {
      finish(handle) { handle.outcome(of: $0, CURLE_OPERATION_TIMEDOUT) }
    }
    nextDeadline = active.lazy.compactMap { [now = clock.now] in $0.transfer?.nextCheck(after: now) }.min()
  }

  /// Removes the handle from libcurl, resumes its waiter, and keeps the handle for reuse.
  private func finish(
    _ handle: CurlEasyHandle, with outcome: (CurlTransfer) -> Result<Void, any Error>
  ) {
    let metrics = handle.transfer.map(handle.metrics) ?? TransportResponse.Metrics()
    curl_multi_remove_handle(multi, handle.pointer)
    active.swapAt(handle.place, active.count - 1)
    active[handle.place].place = handle.place
    active.removeLast()
    guard let transfer = handle.transfer.take() else { return }
    let result = outcome(transfer)
    transfer.tell(result, metrics)
    // libcurl allows five retries per handle in all, not per exchange: a handle that had one is freed.
    if case .success = result, !transfer.isRepeated, idle.count < Self.idleHandles { idle.append(handle) }
  }
}
