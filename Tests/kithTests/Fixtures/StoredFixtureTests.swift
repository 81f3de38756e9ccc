// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import TestSupport
import Testing

/// This version opens files of earlier versions and finishes their jobs.
@Suite struct StoredFixtureTests {
  /// A job of a fixture, and the fate of its commits in doubt.
  struct Case: Sendable, CustomTestStringConvertible {
    let fixture: StoredFixture
    let name: String
    let doubt: FixtureRun.Doubt

    var testDescription: String { "\(fixture.testDescription) \(name) \(doubt)" }

    /// An eighth of the jobs of all fixtures, and of the fates of their commits.
    static func each(_ names: [String], _ doubts: [FixtureRun.Doubt] = [.landed]) -> [Case] {
      let cases = StoredFixture.all.flatMap { fixture in
        names.flatMap { name in doubts.map { Case(fixture: fixture, name: name, doubt: $0) } }
      }
      return CaseSample.of(cases, one: 8)
    }
  }

  /// Jobs that have something left to send.
  fileprivate static let certain = ["waiting", "waitingForPoints", "running", "undo", "paused"]
  private static let inDoubt = ["inDoubt", "inDoubtBlock"]
  private static let due = ["timedDue", "timedInDoubt"]
  private static let doubts = FixtureRun.Doubt.allCases

  @Test func fixturesExist() {
    #expect(StoredFixture.all.contains { $0.testDescription == "4b99413" })
  }

  @Test(arguments: StoredFixture.all) func showsEachJobAndItemAsBefore(fixture: StoredFixture) async throws {
    let user = try await FixtureRun(fixture)
    #expect(try await user.jobs() == user.expected.jobs)
    for name in user.expected.cases.keys {
      #expect(try await user.items(of: name) == user.expected.items(of: name))
    }
  }

  @Test(arguments: StoredFixture.oldest) func readsSessionsAndRefreshesThem(
    fixture: StoredFixture
  ) async throws {
    struct Account: Decodable {
      let did: DID
      let handle: String
      let current: Bool
      let active: Bool?
    }
    let user = try await FixtureRun(fixture)
    let listed = try await user.kith("accounts list")
    #expect(listed.status == 0)
    let rows = try listed.rows(Account.self)
    #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.handle, $0.did) }) == user.expected.accounts)
    #expect(rows.filter(\.current).map(\.handle) == ["alice.test"])
    for (handle, did) in user.expected.accounts {
      let old = try user.session(of: did)
      let run = try await user.kith("whoami --account \(handle)")
      #expect(run.status == 0, "\(run.talk)")
      #expect(try run.rows(Account.self).map(\.did) == [did])
      var new = try user.session(of: did)
      #expect(new["version"] == 2)
      // The access token had expired: the stored refresh token was used to get new ones.
      for token in ["accessToken", "refreshToken"] { #expect(new[token] != nil && new[token] != old[token]) }
      for field in ["version", "accessToken", "refreshToken", "receivedAt"] { new[field] = old[field] }
      #expect(new == old)
    }
  }

  @Test(arguments: Case.each(inDoubt, doubts)) func finishesAJob(one: Case) async throws {
    try await expectFinish(of: one)
  }

  fileprivate func expectFinish(of one: Case) async throws {
    let user = try await FixtureRun(one.fixture, one.doubt)
    let run = try await user.resume(one.name)
    #expect(run.status == 0, "\(run.talk)")
    let job = try await user.job(one.name)
    #expect(job.state == "done" && job.done == job.total && job.total > 0)
    #expect(try user.records == user.after(finishing: [one.name]))
    if let undone = job.undoes {
      let former = try #require(try await user.jobs().first { $0.job == undone })
      #expect(former.undone == former.total)
    }
    let commits = user.run.sandbox.statistics.commits
    #expect(try await user.resume(one.name).status == 0)
    #expect(user.run.sandbox.statistics.commits == commits)
  }

  @Test(arguments: Case.each(["inDoubtCall"], doubts))
  func finishesCalls(one: Case) async throws {
    let user = try await FixtureRun(one.fixture, one.doubt)
    let app = try await SignedInRun(at: user.run)
    let items = try user.expected.items(of: one.name)
    let made = items.filter { $0.state == "done" || $0.state == "inDoubt" && one.doubt == .landed }
    #expect(try await app.kith("mute \(made.map(\.input).joined(separator: " "))").status == 0)
    #expect(try await user.resume(one.name).status == 0)
    #expect(try await user.items(of: one.name).allSatisfy { $0.state == "done" })
    let muted = try await app.kith("mute --dry-run \(items.map(\.input).joined(separator: " "))")
    #expect(try muted.changes().map(\.state) == items.map { _ in "unchanged" })
  }

  @Test(arguments: Case.each(["timedCall"], doubts))
  func endsWhatIsDue(one: Case) async throws {
    let user = try await FixtureRun(one.fixture, one.doubt)
    let app = try await SignedInRun(at: user.run)
    let call = try #require(try user.expected.items(of: one.name).first)
    #expect(try await app.kith("mute \(call.input) --only reposts").status == 0)
    let run = try await user.kith("jobs due")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try user.records == user.after(undoing: Self.due))
    let unmuted = try await app.kith("unmute \(call.input) --only reposts --dry-run")
    #expect(try unmuted.changes().map(\.state) == ["unchanged"])
    for name in Self.due + [one.name] {
      let job = try await user.job(name)
      #expect(job.undone > 0 && job.done + job.inDoubt + job.pending == 0)
    }
    let landed = one.doubt == .landed ? 4 : 2
    #expect(try await user.job("timedInDoubt").undone == landed)
    // Later ends stay, and nothing is due again.
    #expect(try await user.items(of: "timedLater") == user.expected.items(of: "timedLater"))
    let again = try await user.kith("jobs due")
    #expect(again.status == 0 && again.output.isEmpty)
  }

  @Test(arguments: Case.each(["cancelled"]) + Case.each(["cancelledInDoubt"], doubts))
  func leavesACancelledJobCancelled(one: Case) async throws {
    let user = try await FixtureRun(one.fixture, one.doubt)
    let run = try await user.resume(one.name)
    let hasDoubts = one.name == "cancelledInDoubt"
    #expect(run.status == (hasDoubts ? 130 : 64), "\(run.talk)")
    let isDone = { (item: StoredFixture.ItemLine) in
      item.state == "done" || item.state == "inDoubt" && one.doubt == .landed
    }
    let states = try user.expected.items(of: one.name).map { isDone($0) ? "done" : "cancelled" }
    #expect(try await user.items(of: one.name).map(\.state) == states)
    #expect(try await user.job(one.name).state == "cancelled")
    #expect(user.records == user.before)
  }

  @Test(arguments: Case.each(["done"])) func undoesAJobThatIsDone(one: Case) async throws {
    let user = try await FixtureRun(one.fixture)
    let run = try await user.kith("jobs undo \(try user.expected.job(one.name)) --yes")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try await user.items(of: one.name).allSatisfy { $0.state == "undone" })
    #expect(try user.records == user.after(undoing: [one.name]))
  }

  /// All jobs in the same store, as after an upgrade.
  @Test(arguments: StoredFixture.oldest) func finishesEverything(fixture: StoredFixture) async throws {
    let user = try await FixtureRun(fixture)
    let names = Self.certain + Self.inDoubt
    #expect(try await user.kith("jobs due").status == 0)
    for name in names + ["inDoubtCall"] { #expect(try await user.resume(name).status == 0) }
    #expect(try await user.resume("cancelledInDoubt").status == 130)
    var records = try user.after(finishing: names)
    let undone = try user.after(undoing: Self.due)
    for (account, former) in user.before {
      for uri in Set(former.keys).union(undone[account, default: [:]].keys)
      where former[uri] != undone[account]?[uri] {
        records[account]?[uri] = undone[account]?[uri]
      }
    }
    #expect(user.records == records)
    #expect(try await user.jobs().allSatisfy { $0.inDoubt + $0.pending + $0.failed + $0.skipped == 0 })
  }
}

/// Jobs without a commit in doubt, individually; ``StoredFixtureTests/finishesEverything(fixture:)`` runs
/// them together.
@Suite struct StoredFixtureLongTests {
  @Test(arguments: StoredFixtureTests.Case.each(StoredFixtureTests.certain))
  func finishesAJob(one: StoredFixtureTests.Case) async throws {
    try await StoredFixtureTests().expectFinish(of: one)
  }
}
