// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithHistory
import KithInsights
import KithWriting
import Testing

@testable import KithOperations
@testable import KithRelationships

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

  @Test func aRecordOfANoteHasItsLevelAndTime() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let record = Note.namesSkipped(2).record(at: Instant(microsecondsSinceEpoch: 1_767_225_600_000_000))
    #expect(
      String(decoding: try encoder.encode(record), as: UTF8.self)
        == #"{"at":"2026-01-01T00:00:00.000Z","code":"namesSkipped","fields":{"count":2},"level":"warning"}"#)
  }

  @Test func theLevelDependsOnWhatANoteSays() throws {
    let input = InputError(text: "x y", reason: "it is empty", place: nil)
    #expect(Note.invalidName(.invalid(input), isSkipped: true).level == .warning)
    #expect(Note.invalidName(.invalid(input), isSkipped: false).level == .error)
    #expect(Note.jobEnded(.early(JobID(number: 3))).level == .warning)
    #expect(Note.jobEnded(.failed(JobID(number: 3), lost)).level == .error)
    #expect(Note.incomplete(.blockersNeedServers, because: nil).level == .note)
    var coverage = ListingCoverage()
    let listing = ActorListing.mutes(of: .did(try DID(parsing: "did:plc:ewvi7nxzyoun6zhxrhs64oiz")))
    #expect(Note.listed(ListingReport(listing, coverage)).level == .note)
    coverage.fault = lost
    #expect(Note.listed(ListingReport(listing, coverage)).level == .warning)
  }
}
