// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// State behind a lock, with tasks that wait for a condition on it.
package final class Watched<State>: Sendable {
  private struct Watcher {
    let number: Int
    let isDue: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct Contents {
    var state: State
    var watchers: [Watcher] = []
    var watchersSoFar = 0

    mutating func takeDue() -> [Watcher] {
      let due = watchers.filter { $0.isDue(state) }
      watchers.removeAll { watcher in due.contains { $0.number == watcher.number } }
      return due
    }
  }

  private let contents: PosixMutex<Contents>

  /// Creates a value with an initial state.
  package init(_ state: sending State) { contents = PosixMutex(Contents(state: state)) }

  /// Runs a closure with exclusive access to the state, then wakes the waiters whose condition holds.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (result, due) = try contents.withLock { contents throws(Failure) -> (Result, [Watcher]) in
      let result = try body(&contents.state)
      return (result, contents.takeDue())
    }
    for watcher in due { watcher.continuation.resume() }
    return result
  }

  /// Waits until the state fulfills a condition, without a limit of its own: suites that wait have a
  /// `.timeLimit`.
  ///
  /// Returns early only if the task is cancelled, as that limit does.
  package func until(_ isDue: @escaping @Sendable (State) -> Bool) async {
    let number = contents.withLock { contents in
      contents.watchersSoFar += 1
      return contents.watchersSoFar
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = contents.withLock { contents in
          if Task.isCancelled || isDue(contents.state) { return true }
          contents.watchers.append(Watcher(number: number, isDue: isDue, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let watcher = contents.withLock { contents in
        contents.watchers.firstIndex { $0.number == number }.map { contents.watchers.remove(at: $0) }
      }
      watcher?.continuation.resume()
    }
  }
}
