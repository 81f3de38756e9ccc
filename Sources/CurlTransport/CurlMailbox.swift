// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

/// The way from any thread to the loop thread: a queue of commands, and a wake-up only where needed.
final class CurlMailbox: Sendable {
  enum Command: Sendable {
    case start(CurlExchange, CurlRecipient)
    case cancel(CurlExchange)
    /// The reader of a streamed answer has taken what waited for it.
    case resume(CurlExchange)
  }

  private struct State {
    var commands: [Command] = []
    /// Whether the loop waits for sockets and would not look here by itself.
    var isAsleep = false
    var isClosed = false
  }

  private let state = PosixMutex(State())
  private let wakePipe: WakePipe

  init(_ wakePipe: WakePipe) {
    self.wakePipe = wakePipe
  }

  /// Hands a command over; false when the mailbox is closed.
  func post(_ command: Command) -> Bool {
    let (accepted, isAsleep) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed else { return (false, false) }
      state.commands.append(command)
      // One wake-up is enough for all that comes until the loop looks here.
      defer { state.isAsleep = false }
      return (true, state.isAsleep)
    }
    if isAsleep { wakePipe.wake() }
    return accepted
  }

  /// Lets nothing more in, and the loop end.
  func close() {
    state.withLock { $0.isClosed = true }
    wakePipe.wake()
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
