// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

/// Values between two tasks.
@Suite(.timeLimit(.minutes(1))) struct HandoffTests {
  /// The end may come from another task than the values.
  @Test func theEndReleasesTheOneWhoPuts() async throws {
    let handoff = Handoff<Int>()
    let taken = Task { try await handoff.put(1) }
    #expect(try await handoff.next() == 1)
    handoff.end()
    try await taken.value
    #expect(try await handoff.next() == nil)
  }
}
