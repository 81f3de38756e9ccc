// SPDX-License-Identifier: Apache-2.0

/// Polls until a condition holds for which there is no notification.
///
/// - Throws: `CancellationError` if the task is cancelled, as by the `.timeLimit` of a suite.
package func eventually(_ holds: () async throws -> Bool) async throws {
  // Sleeping leaves the processor to what is waited for, which may be another process.
  while try await !holds() { try await Task.sleep(for: .milliseconds(1)) }
}
