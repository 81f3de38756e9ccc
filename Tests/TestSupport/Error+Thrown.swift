// SPDX-License-Identifier: Apache-2.0

extension Error {
  /// Returns the error of this type that some work throws; nil if it throws another, or none.
  package static func thrown<Value>(by work: () async throws -> Value) async -> Self? {
    do {
      _ = try await work()
      return nil
    } catch {
      return error as? Self
    }
  }
}
