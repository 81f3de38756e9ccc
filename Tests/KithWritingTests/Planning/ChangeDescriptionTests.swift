// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

@Suite struct ChangeDescriptionTests {
  private let bob = Accounts.did(2)

  @Test func printsAChangeWithItsSubjects() throws {
    let list = try ATURI(parsing: "at://\(Accounts.did(1))/app.bsky.graph.list/3l3qo2vutsw2b")
    #expect("\(ChangeIntent.follow(bob))" == "follow \(bob)")
    #expect("\(ChangeIntent.add(bob, to: list))" == "add to list \(bob) \(list)")
    #expect("\(ChangeIntent.muteList(list))" == "mute list \(list)")
    let note = ChangeNote(.followerStays, "they still follow you")
    #expect(
      "\(ChangeOutcome(.block(bob), .done, notes: [note]))" == "block \(bob): done; they still follow you")
  }

  @Test func keepsTheNumberOfAJob() throws {
    let job = JobID(number: 7)
    let coded = try JSONEncoder().encode([job])
    #expect(String(decoding: coded, as: UTF8.self) == "[7]")
    #expect(try JSONDecoder().decode([JobID].self, from: coded) == [job])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([JobID].self, from: Data("[0]".utf8)) }
  }
}
