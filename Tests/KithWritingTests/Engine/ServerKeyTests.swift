// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithPosts
@testable import KithRelationships
@testable import KithWriting

/// Servers that give new records keys of their own, and changes that need the chosen ones.
@Suite struct ServerKeyTests {
  /// A change that needs its keys.
  enum Change: CaseIterable { case thread, gate, list, request, profile }

  private let account = Accounts.did(0)
  private let pds = PDSDouble()
  private let journal = InMemoryJobStore()
  private let clock = ManualClock(.skipping)
  private var time: TimeSource { clock.timeSource(wallAtZero: 1_760_000_000_000_000) }

  /// - Parameter fault: what happens to each commit that deletes.
  private func engine(failing fault: PDSDouble.Fault? = nil) throws -> ChangeEngine {
    let time = time
    let transport = ScriptedTransport { [pds] request in
      if let fault, String(decoding: request.body ?? [], as: UTF8.self).contains("applyWrites#delete") {
        pds.change { $0.faults = [fault] }
      }
      return try pds.answer(request)
    }
    let client = try pds.client(transport, time)
    let own = OwnRecords(of: account, client: client)
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    return ChangeEngine(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(account: account, pds: client, appview: client, relationships: source, records: own),
      journal: journal, keys: TIDClock(clockID: 1) { time.instant }, time: time)
  }

  private func requests(_ change: Change) throws -> [ChangePlan.Request] {
    func request(_ intent: ChangeIntent) -> ChangePlan.Request {
      ChangePlan.Request("x", intent, isResolved: true)
    }
    var draft = PostDraft(RichText("one"))
    switch change {
    case .thread: return [request(.records(.make(try [draft, PostDraft(RichText("two"))].records)))]
    case .gate:
      draft.audience.replies = [.followers]
      return [request(.records(.make(try [draft].records)))]
    case .list:
      let list = OwnList.uri(ChangeSamples.rkey(1), of: account)
      return [
        request(.list(.create(list, ListDraft(name: "Noise", purpose: .curate)))),
        request(.add(Accounts.did(11), to: list)),
      ]
    case .request: return [request(.friends(.request(Accounts.did(2), FriendRequestDraft())))]
    case .profile:
      var edit = ProfileEdit()
      edit.bio = "x"
      return [request(.profile(edit))]
    }
  }

  private func follow(_ number: Int) -> ChangePlan.Request {
    ChangePlan.Request("x", .follow(Accounts.did(number)), isResolved: true)
  }

  /// Submits and runs changes.
  private func run(
    _ requests: [ChangePlan.Request], by engine: ChangeEngine, _ options: JobOptions = JobOptions()
  ) async throws -> (job: JobID, end: JobEnd) {
    let submission = try await engine.submit(requests, as: "change")
    let job = try #require(submission.job)
    return (job.id, try await engine.run(job.id, plannedBy: submission.facts, options: options))
  }

  private func states(_ job: JobID) async throws -> [JobItemState.Kind] {
    try await journal.items(of: job, in: Set(JobItemState.Kind.allCases), after: nil, most: .max)
      .map(\.state.kind)
  }

  @Test(arguments: Change.allCases)
  func whatNeedsItsKeysIsDeletedAgainAndRefusedTheNextTime(change: Change) async throws {
    let engine = try engine()
    pds.change { $0.choosesKeys = true }
    let first = try await run(requests(change), by: engine)
    #expect(first.end == .done)
    #expect(try await Set(states(first.job)) == [.failed])
    #expect(pds.records.isEmpty && pds.commits.count == 2)
    #expect(try await journal.serverChoosingKeys(of: account) == "https://pds.test")
    let again = try await engine.submit(requests(change), as: "change")
    #expect(again.plan.changes.allSatisfy { $0.refusal?.code == .keyNotKept } && again.job == nil)
    #expect(pds.commits.count == 2)
    // A job that was planned before is not sent any more, either.
    #expect(try await journal.retryFailed(first.job) > 0)
    #expect(try await engine.run(first.job) == .done)
    #expect(try await Set(states(first.job)) == [.failed] && pds.commits.count == 2)
    // Other changes go on, and show when the server keeps keys.
    #expect(try await states(run([follow(5)], by: engine).job) == [.done])
    pds.change { $0.choosesKeys = false }
    #expect(try await states(run([follow(6)], by: engine).job) == [.done])
    #expect(try await journal.serverChoosingKeys(of: account) == nil)
    #expect(try await Set(states(run(requests(change), by: engine).job)) == [.done])
  }

  @Test func onlyWhatNeedsItsKeysFails() async throws {
    let engine = try engine()
    pds.change { $0.choosesKeys = true }
    let (job, _) = try await run([follow(5)] + requests(.request) + [follow(6)], by: engine)
    #expect(try await states(job) == [.done, .failed, .done])
    #expect(pds.records.count == 2 && pds.records.keys.allSatisfy { $0.hasPrefix("\(NSID.follow)/own-") })
    let items = try await journal.items(of: job, in: [.done], after: nil, most: .max)
    #expect(Set(items.flatMap(\.step.writes).map { "\($0.name)" }) == Set(pds.records.keys))
    #expect(try await engine.run(try await engine.undo(job).job.id) == .done)
    #expect(pds.records.isEmpty)
  }

  @Test func aListIsNotMadeBeforeItsMembers() async throws {
    let engine = try engine()
    pds.change { $0.choosesKeys = true }
    let (job, _) = try await run(requests(.list), by: engine, JobOptions(writesPerCommit: 1))
    #expect(try await states(job) == [.failed, .failed] && pds.records.isEmpty)
  }

  @Test func aLostAnswerIsLookedUp() async throws {
    let engine = try engine()
    pds.change {
      $0.choosesKeys = true
      $0.faults = [.answerLost(.connectionLost)]
    }
    let (job, end) = try await run(requests(.thread), by: engine)
    #expect(end == .done && pds.records.isEmpty)
    #expect(try await states(job) == [.failed])
  }

  /// The records stay in doubt until they are gone.
  @Test(arguments: [false, true])
  func aDeletionThatFailsIsSaidAndMadeUpFor(isDone: Bool) async throws {
    pds.change { $0.choosesKeys = true }
    let fault: PDSDouble.Fault =
      isDone ? .answerLost(.connectionLost) : .answer(TransportResponse(status: 503))
    let failing = try engine(failing: fault)
    let (job, end) = try await run(requests(.thread), by: failing, JobOptions(patience: .zero))
    guard case .stopped(let stop) = end else {
      Issue.record("it went on")
      return
    }
    #expect(stop.code == .unavailable && pds.records.isEmpty == isDone)
    #expect(try await states(job) == [.inDoubt])
    #expect(try await engine().run(job) == .done)
    #expect(try await states(job) == [.failed] && pds.records.isEmpty)
  }
}
