// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import KithWriting
import TestSupport
import Testing

@testable import kith

/// Commands that want something else than a job is about to do, and several commands at once.
@Suite struct RivalProcessTests {
  private struct Edges: Decodable {
    let following: String?
    let blocking: String?
  }

  private struct Member: Decodable {
    let subject: String
  }

  private func edges(_ alice: SignedInRun, _ target: String) async throws -> Edges? {
    try await alice.process("check alice.test \(target)").rows(Edges.self).first
  }

  /// The clock of commands after the end of a change that was made for five minutes.
  private static let afterFiveMinutes = ["KITH_CLOCK_SHIFT": "600"]

  private func later(_ line: String, _ alice: SignedInRun) async throws -> KithRun {
    try await alice.run.process(line, environment: alice.environment.merging(Self.afterFiveMinutes) { $1 })
  }

  /// Runs commands at the same time, with real waits: what they wait for is the work of the others, which takes as long
  /// as the machine needs.
  private func atOnce(
    _ lines: [String], _ alice: SignedInRun, _ more: [String: String] = [:], input: String = ""
  ) async throws -> [KithRun] {
    let environment = alice.environment.merging(more) { $1 }.merging(["KITH_TEST_SPEED": "1"]) { $1 }
    return try await withThrowingTaskGroup(of: (Int, KithRun).self) { group in
      for (index, line) in lines.enumerated() {
        group.addTask { (index, try await alice.run.process(line, environment: environment, input: input)) }
      }
      var runs: [Int: KithRun] = [:]
      for try await (index, run) in group { runs[index] = run }
      return lines.indices.compactMap { runs[$0] }
    }
  }

  // MARK: Jobs that would end it

  @Test func aTimedBlockMadePermanentIsNotUndone() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.process("block bob.test --for 5m").status == 0)
    // The undo is journaled, and has no points.
    #expect(try await later("jobs due --points 1/1 --leave 0 --no-wait", alice).status == 75)
    let run = try await later("block bob.test", alice)
    #expect(run.status == 0)
    #expect(try run.changes().map(\.state) == ["done"])
    #expect(try await later("jobs resume 2 --points 5000/35000", alice).codes == ["jobDone"])
    #expect(try await later("jobs due --points 5000/35000", alice).output == "")
    #expect(try await edges(alice, "bob.test")?.blocking != nil)
  }

  @Test func whatIsFollowedAgainIsNotUnfollowedByAWaitingUndo() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.process("follow dave.test").status == 0)
    #expect(try await alice.process("jobs undo 1 --points 1/1 --leave 0 --no-wait").status == 75)
    let run = try await alice.process("follow dave.test")
    #expect(run.status == 0)
    #expect(try run.changes().map(\.state) == ["done"])
    #expect(try await alice.process("jobs resume 2 --points 5000/35000").codes == ["jobDone"])
    #expect(try await edges(alice, "dave.test")?.following != nil)
  }

  @Test func aTimedChangeIsNotMadeAfterItsEnd() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.process("block dave.test --for 5m --points 1/1 --leave 0 --no-wait").status == 75)
    let run = try await later("jobs resume 1 --points 5000/35000", alice)
    #expect(run.status == 0)
    #expect(try run.codes == ["jobItemsSkipped"])
    #expect(try await edges(alice, "dave.test")?.blocking == nil)
    #expect(try await later("jobs due", alice).output == "")
  }

  // MARK: At once

  @Test func ofEightBlocksOneIsDone() async throws {
    let alice = try await SignedInRun()
    let runs = try await atOnce(Array(repeating: "block bob.test", count: 8), alice)
    let states = try runs.flatMap { try $0.changes().map(\.state) }
    #expect(states.count(where: { $0 == "done" }) == 1)
    #expect(Set(states).subtracting(["done", "unchanged", "pending"]) == [])
    let job = try #require(try runs.compactMap { try $0.changes().first { $0.state == "done" }?.job }.first)
    #expect(try await alice.process("undo \(job)").status == 0)
    let now = try await edges(alice, "bob.test")
    #expect(now?.following != nil && now?.blocking == nil)
  }

  @Test func listsMadeAtOnceAreOneListWithAllMembers() async throws {
    let alice = try await SignedInRun()
    let members = ["bob.test", "carol.test", "dave.test", "erin.test"]
    let runs = try await atOnce(members.map { "lists create Birds --purpose curate \($0)" }, alice)
    #expect(runs.map(\.status) == [0, 0, 0, 0])
    let rows = try runs.map { try $0.changes() }
    #expect(Set(rows.compactMap { $0.first?.subject }).count == 1)
    #expect(rows.allSatisfy { $0.last?.state == "done" })
    let uri = try #require(rows.first?.first?.subject)
    #expect(try await alice.process("lists show Birds").rows(Member.self).count == 4)
    #expect(try await alice.process("lists show \(uri)").rows(Member.self).count == 4)
  }

  @Test func importsAtOnceMakeOneListWithAllMembers() async throws {
    let alice = try await SignedInRun()
    let list = "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c"
    let members = ["bob.test", "carol.test", "dave.test"].map { "member,\($0),\(list),,\n" }.joined()
    let file = "kind,handle,list,name,purpose\nlist,,\(list),Birds,curate\n" + members
    let runs = try await atOnce(Array(repeating: "import - --yes", count: 4), alice, input: file)
    #expect(runs.map(\.status).allSatisfy { $0 == 0 || $0 == 75 })
    #expect(try await alice.process("lists show Birds").rows(Member.self).count == 3)
    let states = try runs.flatMap { try $0.changes().map(\.state) }
    #expect(Set(states).subtracting(["done", "unchanged", "pending"]) == [])
    #expect(states.count(where: { $0 == "done" }) == 4)
  }

  @Test func editsAtOnceAreAllMade() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.process("lists create Birds --purpose curate").status == 0)
    let runs = try await atOnce((1...3).map { "lists edit Birds --description words\($0)" }, alice)
    #expect(runs.map(\.status) == [0, 0, 0])
    #expect(try runs.flatMap { try $0.changes().map(\.state) } == ["done", "done", "done"])
  }

  @Test func losersOfSeveralRunsOfWhatIsDueSayItInANote() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.process("follow dave.test niaj.test --for 5m").status == 0)
    let runs = try await atOnce(Array(repeating: "jobs due", count: 4), alice, Self.afterFiveMinutes)
    #expect(runs.map(\.status) == [0, 0, 0, 0])
    #expect(try runs.allSatisfy { try $0.messages.allSatisfy { $0.text("level") != "error" } })
    #expect(try await edges(alice, "dave.test")?.following == nil)
  }

  // MARK: Lists that are blocked

  @Test(arguments: ["block-list", "mute-list"])
  func aCurationListIsRefused(verb: String) async throws {
    let alice = try await SignedInRun()
    let made = try await alice.process("lists create Birds --purpose curate bob.test carol.test dave.test")
    let uri = try #require(try made.changes().first?.subject)
    let refused = try await alice.process("\(verb) Birds --yes")
    #expect(refused.status == 77)
    #expect(try refused.changes().map(\.state) == ["refused"])
    let plan = try await alice.process("\(verb) \(uri) --allow-curation --dry-run")
    #expect(plan.status == 0)
    let reach = try #require(try plan.message("listReach"))
    // alice follows bob and carol.
    #expect(reach.number("followed") == 2 && reach["accounts"] != nil)
    #expect(try plan.changes().map(\.state) == ["planned"])
    // A block would hide followed accounts, so it is asked.
    if verb == "block-list" {
      #expect(try await alice.process("\(verb) \(uri) --allow-curation").status == 64)
    }
    let done = try await alice.process("\(verb) \(uri) --allow-curation --yes")
    #expect(done.status == 0)
    #expect(try done.message("listReach")?.number("followed") == 2)
  }
}
