// SPDX-License-Identifier: Apache-2.0

/// Lets tasks do something one after the other, in the order in which they ask, also where the work waits.
package actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  /// Does something when all who asked before are done.
  package func take<Value: Sendable>(_ work: @Sendable () async throws -> Value) async rethrows -> Value {
    if isTaken { await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
    defer { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
    return try await work()
  }
}
