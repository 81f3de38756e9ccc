// SPDX-License-Identifier: Apache-2.0

import KithOperations

extension FailureKind {
  /// The kind of failure with which some work ends; nil if it succeeds, or for an error that has no kind.
  static func thrown<Value>(by work: () async throws -> Value) async -> FailureKind? {
    do {
      _ = try await work()
      return nil
    } catch {
      return FailureKind(error)
    }
  }
}
