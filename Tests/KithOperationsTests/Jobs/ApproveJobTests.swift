// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCrypto
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import KithWriting

/// Changes that wait for a yes, as fronts propose, show and decide them.
@Suite struct ApproveJobTests {
  private let user: ServedUser
  private static let names = ["bob", "carol", "dave"]

  init() async throws { user = try await ServedUser(on: FaultyNetwork()) }

  private func engine() async throws -> ChangeEngine {
    let workspace = user.workspace()
    return workspace.engine(of: try await workspace.account(), journal: try workspace.jobStore())
  }

  private func propose(_ intents: [ChangeIntent]) async throws -> (job: JobID, digest: PlanDigest) {
    let requests = intents.map { ChangePlan.Request($0.account?.description ?? "x", $0, isResolved: true) }
    let proposal = try await engine().propose(requests, as: "mute")
    return (try #require(proposal.job).id, proposal.digest)
  }

  private func mutes() throws -> [ChangeIntent] {
    try Self.names.map { .block(try user.did($0)) }
  }

  /// Runs an approval, and answers its question.
  private func approve(
    _ approval: ApproveJob, answering answer: Bool = true
  ) async throws -> (outcome: ChangeRunOutcome, rows: [ChangeRow], questions: [PlannedQuestion]) {
    let heard = PosixMutex((rows: [ChangeRow](), questions: [PlannedQuestion]()))
    let outcome = try await approval.run(
      in: user.workspace(),
      Reporter(
        rows: { rows in heard.withLock { $0.rows += rows } },
        ask: { question in
          if case .change(let planned) = question { heard.withLock { $0.questions.append(planned) } }
          return answer
        }))
    let (rows, questions) = heard.withLock(\.self)
    return (outcome, rows, questions)
  }

  private func row(_ job: JobID) async throws -> JobRow {
    try #require(try await user.run(ListJobs()).rows.first { $0.job.id == job })
  }

  private func blocked(_ name: String) throws -> Bool {
    let did = try user.did(name)
    return user.network.records(of: try user.did("alice"), in: .block).contains {
      $0.value["subject"]?.string == "\(did)"
    }
  }

  @Test func isShownAndCarriedOutAfterAYes() async throws {
    let (job, digest) = try await propose(try mutes())
    let proposed = try await row(job)
    #expect(proposed.state == "proposed" && proposed.total == 3 && proposed.job.proposal?.digest == digest)
    #expect(proposed.targets.count == 2 && proposed.summary.eta == nil)
    let shown = try await user.run(ShowJob(job)).rows
    #expect(shown.map(\.state) == [.planned, .planned, .planned] && shown.allSatisfy { !$0.steps.isEmpty })
    let declined = try await approve(ApproveJob(job), answering: false)
    #expect(declined.outcome.ending == .declined && declined.rows.isEmpty)
    #expect(try await row(job).state == "proposed" && !blocked("bob"))
    let (outcome, rows, questions) = try await approve(ApproveJob(job))
    #expect(questions.map(\.plan.digest) == [digest] && questions[0].rows.count == 3)
    #expect(outcome.ending == .done && outcome.job?.id == job && outcome.hasDone)
    #expect(rows.map(\.state) == [.done, .done, .done])
    #expect(rows.map(\.subject) == (try mutes()).map { $0.account?.description })
    #expect(try Self.names.allSatisfy { try blocked($0) })
    let again = await #expect(throws: JobError.self) { try await approve(ApproveJob(job)) }
    #expect(again?.code == .notProposed)
    #expect(try await user.run(ShowJob(job)).rows.map(\.state) == [.done, .done, .done])
  }

  @Test func aDigestIsAnAnswer() async throws {
    let (job, digest) = try await propose(try mutes())
    let other = try await engine().plan([ChangePlan.Request("x", .block(try user.did("bob")))]).digest
    let refused = await #expect(throws: JobError.self) { try await approve(ApproveJob(job, digest: other)) }
    #expect(refused?.code == .otherPlan && FailureKind(any: refused ?? .notFound(job)) == .usage)
    let approved = try await approve(ApproveJob(job, digest: digest), answering: false)
    #expect(approved.questions.isEmpty && approved.outcome.ending == .done)
  }

  @Test func whatHasChangedIsNamed() async throws {
    let (job, digest) = try await propose(try mutes())
    try await user.change(.block(user.did("bob")))
    let error = await #expect(throws: JobError.self) { try await approve(ApproveJob(job, digest: digest)) }
    let fields = ErrorFields(try #require(error))
    #expect(fields.code == "job.planChanged")
    #expect(fields.fields.contains(OutputField("goneSubjects", .array([.text(try user.did("bob"))]))))
    #expect(try !blocked("carol") && blocked("bob"))
  }

  @Test func isRejectedOrExpires() async throws {
    let (job, _) = try await propose(try mutes())
    let rejected = try await user.run(RejectJob(job))
    #expect(rejected.rows.map(\.state) == ["cancelled"])
    #expect(try await user.run(ShowJob(job)).rows.map(\.state) == [.cancelled, .cancelled, .cancelled])
    await #expect(throws: JobError.self) { try await user.run(RejectJob(job)) }
    let (late, digest) = try await propose(try mutes())
    user.network.clock.advance(by: .days(1))
    #expect(try await row(late).job.note == "expired")
    let error = await #expect(throws: JobError.self) { try await approve(ApproveJob(late, digest: digest)) }
    #expect(error?.code == .expired)
    #expect(try !blocked("bob"))
  }

  /// Undo, resume and signing out pass over it; the account has to be signed in to approve it.
  @Test func isNotUnfinishedWork() async throws {
    let followed = try await user.change(.block(user.did("judy"))).outcome.job?.id
    let (job, digest) = try await propose(try mutes())
    guard case .run(let undone) = try await user.run(UndoJob()).outcome else {
      Issue.record("nothing was undone")
      return
    }
    #expect(undone.summary.job.undoes == followed)
    await #expect(throws: JobError.self) { try await user.run(RunJob(job)) }
    #expect(try await user.run(EndDueJobs()).rows.isEmpty)
    let left = try await user.run(SignOutAccounts()).rows.map { try $0.unfinishedWork?.get().isEmpty }
    #expect(left == [true])
    let error = await #expect(throws: (any Error).self) { try await approve(ApproveJob(job, digest: digest)) }
    #expect(error.map { FailureKind(any: $0) } == .notAllowed)
    #expect(try await row(job).state == "proposed")
  }

  /// The server has deleted the picture by then, or has never had it.
  @Test func picturesAreUploadedWhenItIsCarriedOut() async throws {
    let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    let file = Blob(ref: try #require(CID(ofFile: bytes)), mimeType: "image/png", size: bytes.count)
    var edit = ProfileEdit()
    edit.avatar = file
    let request = ChangePlan.Request("me", .profile(edit))
    let engine = try await engine()
    let unkept = await #expect(throws: JobError.self) {
      try await engine.propose([request], as: "edit profile")
    }
    #expect(unkept?.code == .fileNotKept)
    _ = try await engine.journal.keep(bytes, as: file.ref, at: user.network.time.instant)
    let proposal = try await engine.propose([request], as: "edit profile")
    let approval = ApproveJob(try #require(proposal.job).id, digest: proposal.digest)
    #expect(try await approve(approval).outcome.ending == .done)
    let alice = try user.did("alice")
    let profile = user.network.records(of: alice, in: .profile).first?.value
    #expect(profile?["avatar"]?["ref"]?.link == file.ref)
  }
}
