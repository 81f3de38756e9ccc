// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithHistory
import KithInsights
import KithRelationships
import KithWriting
import Testing

@testable import KithOperations

@Suite struct NoteTests {
  private let lost = RelationshipError.networkError(TransportError(.timedOut, host: "a.test"))

  private func json(_ note: Note) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(note), as: UTF8.self)
  }

  @Test func aNoteIsOneObjectWithItsCodeAndFields() throws {
    #expect(
      try json(.moreInvalidNames(130, unnamed: 30)) == #"{"code":"namesInvalid","count":130,"unnamed":30}"#)
    #expect(try json(.jobCreated(JobID(number: 3), steps: 9)) == #"{"code":"jobCreated","job":3,"steps":9}"#)
  }

  @Test func theErrorBehindANoteIsAnObjectWithinIt() throws {
    #expect(
      try json(.mutesNotLearned(lost))
        == #"{"cause":{"cause":"transport.timedOut","code":"relationship.networkError","host":"a.test"},"code":"mutesNotLearned"}"#
    )
  }

  @Test func aNoteAboutAnErrorHasTheCodeOfTheError() {
    #expect(Note.accountFailed(lost).code == "relationship.networkError")
    let input = InputError(text: "x y", reason: "it is empty", place: nil)
    #expect(Note.invalidName(.invalid(input), isSkipped: true).code == "invalidInput")
  }

  @Test func whatNumbersLackHasTheCodeOfTheGap() throws {
    let gap = InsightGap.partMissing(.reactions, reason: "down")
    #expect(Note.incomplete(gap, because: lost).code == gap.code.rawValue)
    #expect(
      Note.incomplete(gap, because: lost).fields.first
        == OutputField("part", .string("reactions to posts")))
  }

  @Test func anEndedTimedChangeSaysHowItEnded() throws {
    #expect(
      try json(.jobEnded(.elsewhere(JobID(number: 3), isDone: true)))
        == #"{"code":"jobEnded","end":"done","job":3}"#)
    #expect(
      try json(.jobEnded(.early(JobID(number: 3)))) == #"{"code":"jobEnded","end":"early","job":3}"#)
    #expect(
      try json(.jobEnded(.failed(JobID(number: 3), CancellationError())))
        == #"{"cause":{"code":"other"},"code":"jobEnded","end":"failed","job":3}"#)
  }
}
