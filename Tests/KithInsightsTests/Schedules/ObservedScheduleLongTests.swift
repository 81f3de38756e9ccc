// SPDX-License-Identifier: Apache-2.0

import Testing

/// As ``ObservedScheduleTests``, over hundreds of histories.
@Suite struct ObservedScheduleLongTests {
  @Test(arguments: 1...6) func allNumbersAreThoseOfAnotherProgram(part: UInt64) async throws {
    try await ScheduleCase.expectAgreement(of: part * 100...part * 100 + 99)
  }
}
