// SPDX-License-Identifier: Apache-2.0

import Testing

/// The first ten commands of a new user, as the terminal shows them.
@Suite struct SessionTests {
  @Test func theFirstTenCommandsShowWhatTheyShowed() async throws {
    #expect(try await differences(in: "essential.80", columns: 80) == [])
  }
}

/// The three roles of the trial, on narrow, usual and wide terminals.
@Suite struct SessionLongTests {
  @Test(arguments: ["owner", "moderator", "script"], [40, 80, 200] as [UInt16])
  func aRoleSeesWhatItSaw(role: String, columns: UInt16) async throws {
    #expect(try await differences(in: "\(role).\(columns)", columns: columns) == [])
  }
}

/// Replays a transcript, a second time where the first run was so slow that "just now" has passed, or crossed midnight.
private func differences(in name: String, columns: UInt16) async throws -> [String] {
  let differences = try await SessionTranscript(name).replay(columns: columns)
  return differences.isEmpty ? [] : try await SessionTranscript(name).replay(columns: columns)
}
