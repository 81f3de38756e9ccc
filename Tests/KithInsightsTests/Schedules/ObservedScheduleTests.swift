// SPDX-License-Identifier: Apache-2.0

import Testing

/// Every number of `stats` over random histories, computed a second time by a program that shares no code with the
/// library, and compared with what really happened.
@Suite struct ObservedScheduleTests {
  /// Some of the histories, in seconds.
  @Test func someNumbersAreThoseOfAnotherProgram() async throws {
    try await ScheduleCase.expectAgreement(of: 1...24)
  }
}
