// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithStore
import KithWriting
import Synchronization
import Testing

/// What the page about the library tells a bot to do, against a sandbox. This target sees only what is public.
@Suite struct OperationTests {
  /// What an app keeps of a run.
  private final class Kept<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock(\.self) }

    func add(_ more: [Value]) { values.withLock { $0 += more } }
  }

  @Test func aBotTakesSnapshotsAndActsOnWhatChanged() async throws {
    let sandbox = try LocalSandbox()
    defer { sandbox.stop() }
    let stores = Stores(
      sessions: SessionFolder(path: sandbox.folder + "/sessions"),
      journal: try Journal.file(in: sandbox.folder + "/journal"),
      history: try HistoryFile.open(in: sandbox.folder + "/history"),
      knownAccounts: sandbox.folder + "/known")
    let bot = Workspace(sandbox.network(over: CurlTransport()), stores: stores)
    let password = try #require(Password("pw-alice"))
    let signIn = SignInAccount(try ATIdentifier(parsing: "alice.test")) { _ in password }
    guard case .signedIn = try await signIn.run(in: bot) else {
      Issue.record("not signed in")
      return
    }
    let account = try await bot.account()

    let notes = Kept<Note>(), snapshots = Kept<SnapshotRow>()
    let taken = try await TakeSnapshots(of: .these([account.did]), sides: [.followers, .follows]).run(
      in: bot, Reporter(rows: { snapshots.add($0) }, note: { notes.add([$0]) }))
    #expect(taken.rows.interruption == nil && snapshots.all.count == 2)
    #expect(notes.all.map(\.code) == [])
    let row = try #require(snapshots.all.first)
    let fields = try #require(
      try JSONSerialization.jsonObject(with: try JSONEncoder().encode(row)) as? [String: Any])
    #expect(Set(fields.keys) == Set(SnapshotRow.fieldNames) && fields["state"] as? String == "complete")

    let follows = Kept<AccountViewRow>()
    _ = try await ListAccounts(ListingQuery(.follows(of: .did(account.did)))).run(
      in: bot, Reporter(rows: { follows.add($0) }))
    let some = follows.all.prefix(3).map(\.view.account)
    let names = TargetStream(origins: some.map { .argument("\($0)") })
    let change = Change(ChangeAccounts(.unfollow(), AccountChoice(names)))
    // By default a question is declined, and nothing is sent.
    #expect(try await change.run(in: bot, Reporter(rows: { _ in })).ending == .declined)
    let asked = Kept<Int>(), changed = Kept<ChangeRow>()
    let outcome = try await change.run(
      in: bot,
      Reporter(
        rows: { changed.add($0) },
        ask: { question in
          if case .change(let planned) = question { asked.add([planned.plan.affected]) }
          return true
        }))
    #expect(asked.all == [3] && changed.all.map(\.state) == [.done, .done, .done])
    let job = try #require(outcome.job)

    _ = try await TakeSnapshots(of: .these([account.did]), sides: [.follows]).run(
      in: bot, Reporter(rows: { _ in }))
    let lost = Kept<HistoryRow>()
    _ = try await ListChanges(of: account.did, HistoryFilter(sides: [.follows], kinds: [.lost])).run(
      in: bot, Reporter(rows: { lost.add($0) }))
    #expect(Set(lost.all.map(\.change.account)) == Set(some))

    let figures = Kept<FigureRow>()
    let statistics = try await ComputeStatistics(of: account.did, [.cards]).run(
      in: bot, Reporter(rows: { figures.add($0) }))
    #expect(!figures.all.isEmpty && statistics.insights.report(of: [.cards]).html().contains("alice.test"))
    guard case .run(let undone) = try await UndoJob(job.id).run(in: bot, Reporter(rows: { _ in })) else {
      Issue.record("not undone")
      return
    }
    #expect(undone.end == .done)
  }
}
