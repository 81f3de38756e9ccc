// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HTTPTypes
import KithClient
import KithCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange: passes the events of its task to the task that reads the response, and watches the limits.
final class URLSessionExchange: Sendable {
  private struct State {
    var transfer: URLSessionTransfer
    var reader: CheckedContinuation<Void, Never>?
    var task: URLSessionDataTask?
    var timer: Task<Void, Never>?
    /// Whether the server asked for a password, which the exchange does not have.
    var isChallenged = false
  }

  private let state: PosixMutex<State>
  private let time: TimeSource

  init(_ transfer: URLSessionTransfer, _ time: TimeSource) {
    state = PosixMutex(State(transfer: transfer))
    self.time = time
  }

  var host: String { state.withLock { $0.transfer.host } }
  var metrics: TransportResponse.Metrics { state.withLock { $0.transfer.metrics } }

  // MARK: Events

  func start(_ task: URLSessionDataTask) {
    // Closing may have ended the exchange before it had a task to cancel.
    let isOver = state.withLock { state in
      if !state.transfer.hasEnded { state.task = task }
      return state.transfer.hasEnded
    }
    if isOver { return task.cancel() }
    task.resume()
    let timer = Task { [time] in
      while let wait = update({ $0.checkLimits(at: time.now) }) {
        do { try await time.sleep(for: wait) } catch { return }
      }
    }
    let hasEnded = state.withLock { state in
      state.timer = timer
      return state.transfer.hasEnded
    }
    if hasEnded { timer.cancel() }
  }

  func sentBytes() { update { $0.sent(at: time.now) } }

  func receive(_ response: URLResponse) {
    guard let head = HTTPResponse(response) else {
      return update { $0.fail(.malformedResponse, "its head cannot be parsed", at: time.now) }
    }
    update { $0.receive(head, at: time.now) }
  }

  func receive(_ data: Data) { update { $0.receive(data, at: time.now) } }

  /// Makes a redirect the response itself.
  ///
  /// Under the lock, and only before the end: after a cancellation, FoundationNetworking ends the process if
  /// the decision arrives.
  func declineRedirect(_ decline: () -> Void) {
    state.withLock { if !$0.transfer.hasEnded { decline() } }
  }

  /// Records that the response asks for a password. It is complete: FoundationNetworking then ends the task
  /// as cancelled.
  func challenge() { state.withLock { $0.isChallenged = true } }

  func complete(_ response: URLResponse?, _ error: (any Error)?) {
    let (hasHead, isChallenged) = state.withLock { ($0.transfer.hasHead, $0.isChallenged) }
    guard let error, !(isChallenged && hasHead && (error as? URLError)?.code == .cancelled) else {
      // FoundationNetworking does not announce a redirect without a location.
      if !hasHead, let response { receive(response) }
      return update { $0.end(.success(()), at: time.now) }
    }
    let failure = TransportError(error, host: host, afterHead: hasHead)
    update { $0.end(.failure(failure), at: time.now) }
  }

  func fail(_ code: TransportError.Code) { update { $0.fail(code, at: time.now) } }

  func stop() { update { $0.stop(at: time.now) } }

  /// Changes the transfer, resumes the reader if there is something for it, and cancels the task if the
  /// exchange has ended.
  @discardableResult private func update<Value>(_ change: (inout URLSessionTransfer) -> Value) -> Value {
    let (value, reader, task, timer) = state.withLock { state in
      let value = change(&state.transfer)
      let reader = state.transfer.hasNews ? state.reader.take() : nil
      guard state.transfer.hasEnded else {
        return (value, reader, URLSessionDataTask?.none, Task<Void, Never>?.none)
      }
      return (value, reader, state.task.take(), state.timer.take())
    }
    reader?.resume()
    timer?.cancel()
    // Cancelling waits for the session's queue, which a hostile head can keep busy for seconds.
    if let task { DispatchQueue.global().async { task.cancel() } }
    return value
  }

  // MARK: The reader

  /// Waits until there is something, and takes it.
  func next() async -> URLSessionTransfer.Taken {
    while true {
      let taken = state.withLock { $0.transfer.dequeue() }
      guard case .nothing = taken else { return taken }
      await withCheckedContinuation { continuation in
        // Resumes an earlier reader, which checks again: two readers take turns, and neither waits forever.
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if state.transfer.hasNews { return continuation }
          defer { state.reader = continuation }
          return state.reader
        }
        next?.resume()
      }
    }
  }
}
