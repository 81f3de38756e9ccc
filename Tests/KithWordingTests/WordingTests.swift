// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithWording
import Testing

@testable import KithOperations
@testable import KithRelationships
@testable import KithWriting

@Suite struct WordingTests {
  private let job = JobID(number: 3)
  private let lost = RelationshipError.networkError(TransportError(.timedOut, host: "a.test"))

  // MARK: Outcomes

  private func isWorded<Operation: KithOperation>(_ operation: Operation.Type) -> Bool {
    Operation.Outcome.self is any WordedOutcome.Type
  }

  @Test func everyOutcomeHasASentence() {
    for operation in OperationCatalogue.all {
      let hasSentence = isWorded(operation)
      #expect(hasSentence, "\(operation.name)")
    }
  }

  @Test func anOutcomeSaysWhatARunTookAndWhatToDo() {
    let report = ListingReport(.mutes(of: .handle(Handle.invalid)), ListingCoverage())
    let outcome = ListAccounts.Outcome(
      rows: RowsOutcome(count: 2), source: .appview, report: report, isAtEnd: false,
      cursor: ListingCursor(page: "next"))
    #expect(outcome.sentence == "2 listed; there are more")
    var wording = Wording(hint: { hint in
      if case .continueFrom(.listing) = hint { "press Next" } else { nil }
    })
    wording.cost = "3 calls"
    #expect(outcome.sentence(in: wording) == "2 listed; 3 calls; press Next")
  }

  @Test func aDeclinedSignInSaysSo() {
    #expect(SignInAccount.Outcome.declined.sentence == "declined")
    #expect(RowsOutcome(count: 1, interruption: lost).sentence.hasPrefix("1 row; failed: a service"))
  }

  // MARK: Notes

  /// The compiler checks that no note is forgotten, but for those about jobs.
  @Test func eachNoteAboutAJobHasASentence() {
    let moment = Datetime(at: Instant(microsecondsSinceEpoch: 1_767_225_600_000_000))
    let notes: [Note] = [
      .jobCreated(job, steps: 9), .jobWaiting(job, until: moment, .budget), .jobAbandoned(job),
      .filesNotRestorable(1), .undoneAlong(2), .jobEnded(.early(job)), .endsHeld(since: moment, due: 1),
      .jobInterrupted(job), .edgesMadeUncompared,
    ]
    for note in notes { #expect(note.sentence?.isEmpty == false, "\(note.code)") }
  }

  @Test func aNoteHasRoomForAHint() {
    let wording = Wording(hint: { hint in
      if case .resume(let job) = hint { "job \(job), Resume" } else { nil }
    })
    #expect(
      Note.jobInterrupted(job).sentence
        == "job 3 stopped because its journal cannot be written; fix that, then continue")
    #expect(wording.sentence(.jobInterrupted(job))?.hasSuffix("then continue with: job 3, Resume") == true)
  }

  @Test func aNoteIsSilentAboutACompleteListing() {
    let listing = ActorListing.mutes(of: .handle(Handle.invalid))
    #expect(Note.listed(ListingReport(listing, ListingCoverage())).sentence == nil)
  }

  @Test func aFrontWordsErrorsItself() {
    #expect(Note.mutesNotLearned(lost).sentence == "could not read your mutes: \(lost)")
    let wording = Wording(error: { _ in "the network is down" })
    #expect(wording.sentence(.mutesNotLearned(lost)) == "could not read your mutes: the network is down")
  }

  @Test func skippedRowsSayWhy() {
    let note = Note.importSkipped(SkippedRows(followers: 1, lists: 2))
    #expect(
      note.sentence
        == "skipped: 1 follower, because others cannot be made to follow you; 2 rows about lists, because the rows are "
        + "read as accounts")
  }
}
