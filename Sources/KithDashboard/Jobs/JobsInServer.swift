// SPDX-License-Identifier: Apache-2.0

import KithCore

/// The jobs that run in this server. They do not end with the page that began them.
final class JobsInServer: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var next = 0
    var changed: @Sendable (_ isRunning: Bool) -> Void = { _ in }
  }

  let events: EventHub
  /// Remembers what runs here; nil if nothing is remembered.
  let memory: DashboardMemory?
  private let state = PosixMutex(State())

  /// - Parameter events: where pages are told how far jobs have come.
  init(_ events: EventHub, _ memory: DashboardMemory? = nil) { (self.events, self.memory) = (events, memory) }

  deinit { for task in state.withLock(\.tasks).values { task.cancel() } }

  /// Is told when a job begins and ends.
  var changed: @Sendable (_ isRunning: Bool) -> Void {
    get { state.withLock(\.changed) }
    set { state.withLock { $0.changed = newValue } }
  }

  /// Runs something to its end.
  func begin(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.next += 1
      let (number, changed) = (state.next, state.changed)
      changed(true)
      state.tasks[number] = Task { [weak self] in
        await work()
        self?.end(number)
      }
    }
  }

  private func end(_ number: Int) {
    let changed = state.withLock { state in
      state.tasks[number] = nil
      return state.changed
    }
    changed(false)
  }

  /// Cancels all jobs where they can be continued, and waits for them.
  func stop() async {
    let tasks = state.withLock(\.tasks).values
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
