// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Checks right after a change, while the AppView lags behind.
@Suite struct LagCommandTests {
  private struct Row: Decodable {
    let following: String?
    let followedBy: String?
    let blocking: String?
    let source: String
  }

  private struct PlanStep: Decodable {
    let step: String
    let calls: Int?
    let estimate: Bool
  }

  private func alice() async throws -> SignedInRun {
    try await SignedInRun(writing: SandboxWriting(lag: .seconds(3_600)))
  }

  @Test func aCheckShowsWhatWasJustChanged() async throws {
    let alice = try await alice()
    for (change, predicate, opposite) in [
      ("follow niaj.test", "following", "not following"),
      ("unfollow niaj.test --yes", "not following", "following"),
      ("unfollow bob.test --yes", "not following", "following"),
      ("block niaj.test --yes", "blocking", "not blocking"),
      ("unblock niaj.test --yes", "not blocking", "blocking"),
    ] {
      #expect(try await alice.kith(change).status == 0, "\(change)")
      let target = change.split(separator: " ")[1]
      let yes = try await alice.kith(["check", "me", "\(target)", "--is", predicate])
      #expect(yes.status == 0, "\(change): \(yes.output)")
      #expect(
        try await alice.kith(["check", "me", "\(target)", "--is", opposite, "-q"]).status == 1, "\(change)")
    }
  }

  @Test func theRowNamesTheRepositoryAndOtherSidesSeeItToo() async throws {
    let alice = try await alice()
    #expect(try await alice.kith("follow niaj.test").status == 0)
    #expect(try await alice.kith("block judy.test --yes").status == 0)
    let own = try await alice.kith("check me niaj.test judy.test bob.test").rows(Row.self)
    #expect(own.map(\.source) == ["repository", "repository", "appview"])
    #expect(own[0].following != nil && own[1].blocking != nil)
    let others = try await alice.kith("check niaj.test alice.test").rows(Row.self)
    #expect(others.map(\.source) == ["repository"])
    #expect(others[0].followedBy == own[0].following)
  }

  @Test func aBatchIsCorrectedWithAsManyCallsAsWereExplained() async throws {
    let alice = try await alice()
    let names = alice.run.sandbox.network.accounts.filter { $0.status == .active }.suffix(40)
      .map(\.did.description)
    let done = try await alice.kith(["follow"] + names + ["--yes"])
    #expect(done.status == 0, "\(done.talk)")
    let plan = try await alice.kith(["check", "me"] + names + ["--explain"]).rows(PlanStep.self)
    let step = try #require(plan.first { $0.step == "com.atproto.repo.getRecord" })
    #expect(step.estimate)
    let run = try await alice.kith(["check", "me"] + names + ["--is", "following", "-v"])
    #expect(run.status == 0)
    let calls = try #require(try run.calls(of: "com.atproto.repo.getRecord"))
    #expect(calls > 0 && calls <= Int64(step.calls ?? 0))
  }
}
