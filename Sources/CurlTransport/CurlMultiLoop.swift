// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CCurl
import Synchronization

/// The event loop: takes commands from the mailbox, lets libcurl work, gives answers back.
///
/// Not `Sendable`: created, used and freed on the loop thread, as are all easy handles. Other threads
/// see nothing but the ``CurlMailbox``.
final class CurlMultiLoop {
  private static let idleHandles = 64
  private static let longestWait = Duration.seconds(60)

  private let multi: CurlMulti
  private let mailbox: CurlMailbox
  private let configuration: CurlTransport.Configuration
  private let clock = CurlLoopClock()
  private var active: [CurlEasyHandle] = []
  private var idle: [CurlEasyHandle] = []
  /// No deadline of any exchange under way comes before this.
  private var nextDeadline: ContinuousClock.Instant?

  init(multi: CurlMulti, mailbox: CurlMailbox, configuration: CurlTransport.Configuration) {
    self.multi = multi
    self.mailbox = mailbox
    self.configuration = configuration
  }

  /// Runs until the mailbox is closed; then ends whatever is under way.
  func run() {
    var commands: [CurlMailbox.Command] = []
    var isOpen = true
    while isOpen {
      isOpen = mailbox.receive(into: &commands)
      clock.update()
      for command in commands { obey(command) }
      commands.removeAll(keepingCapacity: true)
      guard isOpen else { break }
      var running: Int32 = 0
      curl_multi_perform(multi.pointer, &running)
      finishCompleted()
      if let nextDeadline, clock.now >= nextDeadline { finishOverdue() }
      if mailbox.sleepIfEmpty() {
        curl_multi_poll(multi.pointer, nil, 0, wait, nil)
      }
    }
    while let handle = active.last {
      finish(handle) { .failure(TransportError(.closed, host: $0.exchange.host)) }
    }
  }

  private var wait: Int32 {
    let time = nextDeadline.map { $0 - clock.now } ?? Self.longestWait
    let (seconds, attoseconds) = min(time, Self.longestWait).components
    return max(0, Int32(seconds) * 1000 + Int32(attoseconds / 1_000_000_000_000_000) + 1)
  }

  private func obey(_ command: CurlMailbox.Command) {
    switch command {
    case .start(let exchange, let continuation): start(exchange, continuation)
    case .cancel(let exchange):
      guard let handle = active.first(where: { $0.transfer?.exchange === exchange }) else { return }
      finish(handle) { _ in .failure(CancellationError()) }
    }
  }

  private func start(_ exchange: CurlExchange, _ continuation: CheckedContinuation<CurlAnswer, any Error>) {
    guard !exchange.isCancelled.load(ordering: .acquiring) else {
      return continuation.resume(throwing: CancellationError())
    }
    guard let handle = idle.popLast() ?? CurlEasyHandle(configuration: configuration, clock: clock) else {
      return continuation.resume(
        throwing: TransportError(.cannotConnect, host: exchange.host, detail: "libcurl has no memory"))
    }
    let transfer = CurlTransfer(exchange, continuation, at: clock.now)
    handle.begin(transfer)
    handle.place = active.count
    active.append(handle)
    let check = transfer.nextCheck(after: clock.now)
    nextDeadline = min(nextDeadline ?? check, check)
    curl_multi_add_handle(multi.pointer, handle.pointer)
  }

  private func finishCompleted() {
    var waiting: Int32 = 0
    while let message = curl_multi_info_read(multi.pointer, &waiting) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      var context: UnsafeMutableRawPointer?
      kith_curl_easy_getinfo_private(message.pointee.easy_handle, &context)
      let code = message.pointee.data.result
      let handle = CurlEasyHandle.of(context)
      finish(handle) { handle.outcome(of: $0, code) }
    }
  }

  private func finishOverdue() {
    for handle in active.reversed() where handle.isOverdue {
      finish(handle) { handle.outcome(of: $0, CURLE_OPERATION_TIMEDOUT) }
    }
    nextDeadline = active.lazy.compactMap { [now = clock.now] in $0.transfer?.nextCheck(after: now) }.min()
  }

  /// Takes the handle out of libcurl's hands, answers whoever waits, and keeps the handle for the next.
  private func finish(
    _ handle: CurlEasyHandle, with outcome: (CurlTransfer) -> Result<CurlAnswer, any Error>
  ) {
    curl_multi_remove_handle(multi.pointer, handle.pointer)
    active.swapAt(handle.place, active.count - 1)
    active[handle.place].place = handle.place
    active.removeLast()
    if let transfer = handle.transfer.take() {
      transfer.continuation.resume(with: outcome(transfer))
    }
    if idle.count < Self.idleHandles { idle.append(handle) }
  }
}
