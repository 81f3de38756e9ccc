// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The way from any thread to the loop thread: a queue of commands, and a wake-up only where needed.
final class CurlMailbox: Sendable {
  enum Command: Sendable {
    case start(CurlExchange, CheckedContinuation<CurlAnswer, any Error>)
    case cancel(CurlExchange)
  }

  private struct State {
    var commands: [Command] = []
    /// Whether the loop waits for sockets and would not look here by itself.
    var isAsleep = false
    var isClosed = false
    var multi: CurlMulti?
  }

  private let state: Mutex<State>

  init(multi: CurlMulti) {
    state = Mutex(State(multi: multi))
  }

  /// Hands a command over; false when the mailbox is closed.
  func post(_ command: Command) -> Bool {
    let (accepted, sleeper) = state.withLock { state -> (Bool, CurlMulti?) in
      guard !state.isClosed else { return (false, nil) }
      state.commands.append(command)
      defer { state.isAsleep = false }
      return (true, state.isAsleep ? state.multi : nil)
    }
    sleeper?.wake()
    return accepted
  }

  /// Lets nothing more in, and the loop end.
  func close() {
    let multi = state.withLock { state in
      state.isClosed = true
      return state.multi.take()
    }
    multi?.wake()
  }

  /// Moves all waiting commands into an empty array, for the loop thread; false when closed.
  func receive(into commands: inout [Command]) -> Bool {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
      return !state.isClosed
    }
  }

  /// Notes that the loop thread is about to wait; false when there is something to do first.
  func sleepIfEmpty() -> Bool {
    state.withLock { state in
      state.isAsleep = state.commands.isEmpty && !state.isClosed
      return state.isAsleep
    }
  }
}
