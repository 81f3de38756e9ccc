// SPDX-License-Identifier: Apache-2.0

/// A value that is read once, when it is first needed; those who ask meanwhile wait for it.
///
/// Unlike `SharedWork`, it keeps the value, or the error.
package actor ReadOnce<Value: Sendable> {
  private let read: @Sendable () async throws -> Value
  private var task: Task<Value, any Error>?

  package init(_ read: @escaping @Sendable () async throws -> Value) { self.read = read }

  /// - Throws: what reading throws; `CancellationError` if one of those who wait is cancelled.
  package func value() async throws -> Value {
    let task = self.task ?? Task { [read] in try await read() }
    self.task = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
