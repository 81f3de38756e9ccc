// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Passes commands from any thread to the loop thread: a queue, with a wake-up only if it is needed.
final class CurlMailbox: Sendable {
  enum Command: Sendable {
    case start(CurlExchange, CurlRecipient)
    case cancel(CurlExchange)
    /// The reader of a streamed response has taken the waiting bytes.
    case resume(CurlExchange)
  }

  private struct State {
    var commands: [Command] = []
    /// Whether the loop waits for sockets and needs a wake-up to look here.
    var isAsleep = false
    var isClosed = false
  }

  private let state = PosixMutex(State())
  private let wakePipe: WakePipe

  init(_ wakePipe: WakePipe) {
    self.wakePipe = wakePipe
  }

  /// Adds a command; false if the mailbox is closed.
  func post(_ command: Command) -> Bool {
    let (accepted, isAsleep) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed else { return (false, false) }
      state.commands.append(command)
      // One wake-up is enough for all commands until the loop looks here.
      defer { state.isAsleep = false }
      return (true, state.isAsleep)
    }
    if isAsleep { wakePipe.wake() }
    return accepted
  }

  /// Rejects further commands and ends the loop.
  func close() {
    state.withLock { $0.isClosed = true }
    wakePipe.wake()
  }

  /// Moves all waiting commands into an empty array, on the loop thread; false if the mailbox is closed.
  func receive(into commands: inout [Command]) -> Bool {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
      return !state.isClosed
    }
  }

  /// Records that the loop thread is about to wait; false if there is something to do first.
  func sleepIfEmpty() -> Bool {
    state.withLock { state in
      state.isAsleep = state.commands.isEmpty && !state.isClosed
      return state.isAsleep
    }
  }
}
