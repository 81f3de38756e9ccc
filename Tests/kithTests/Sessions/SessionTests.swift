// SPDX-License-Identifier: Apache-2.0

import Testing

/// The first ten commands of a new user, as the terminal shows them.
@Suite struct SessionTests {
  @Test func theFirstTenCommandsShowWhatTheyShowed() async throws {
    #expect(try await SessionTranscript("essential.80").replay(columns: 80) == [])
  }
}

/// The three roles of the trial, on narrow, usual and wide terminals.
@Suite struct SessionLongTests {
  @Test(arguments: ["owner", "moderator", "script"], [40, 80, 200] as [UInt16])
  func aRoleSeesWhatItSaw(role: String, columns: UInt16) async throws {
    #expect(try await SessionTranscript("\(role).\(columns)").replay(columns: columns) == [])
  }
}
