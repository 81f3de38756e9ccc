// SPDX-License-Identifier: Apache-2.0

/// Lets tasks do something one after the other, or a few at once, in the order in which they ask, also where the work waits.
package actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter limit: how many do something at once.
  package init(atOnce limit: Int = 1) { free = max(1, limit) }

  /// Does something when all who asked before have begun, and enough of them are done.
  package func take<Value: Sendable>(_ work: @Sendable () async throws -> Value) async rethrows -> Value {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await work()
  }
}
