// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

/// A loop with its thread and its connections, started on first use.
final class CurlLane: Sendable {
  private enum State {
    case unused
    case running(CurlMailbox, CurlThread)
    case closed
  }

  private let configuration: CurlTransport.Configuration
  private let state = PosixMutex(State.unused)

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  /// Ends all exchanges in progress, and waits for the thread to end.
  func close() {
    let last = state.withLock { state in
      defer { state = .closed }
      return state
    }
    guard case .running(let mailbox, let thread) = last else { return }
    mailbox.close()
    thread.join()
  }

  /// Returns the mailbox of the running loop, which is started by the first request.
  func openMailbox(for exchange: CurlExchange) throws(TransportError) -> CurlMailbox {
    let mailbox = state.withLock { state -> Result<CurlMailbox, TransportError> in
      switch state {
      case .running(let mailbox, _): return .success(mailbox)
      case .closed: return .failure(TransportError(.closed, host: exchange.host))
      case .unused:
        guard let (mailbox, thread) = startLoop() else {
          return .failure(
            TransportError(.cannotConnect, host: exchange.host, detail: "libcurl or its thread did not start")
          )
        }
        state = .running(mailbox, thread)
        return .success(mailbox)
      }
    }
    return try mailbox.get()
  }

  private func startLoop() -> (CurlMailbox, CurlThread)? {
    guard let wakePipe = WakePipe(), let watchdog = CurlWatchdog(longestCall: configuration.longestCall)
    else { return nil }
    let mailbox = CurlMailbox(wakePipe)
    let thread = CurlThread { [configuration] in
      CurlMultiLoop(mailbox, wakePipe, watchdog, configuration).run()
    }
    return thread.map { (mailbox, $0) }
  }
}
