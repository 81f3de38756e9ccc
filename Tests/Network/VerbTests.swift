// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

/// The verbs that no other suite tests with servers that we did not write.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct VerbTests {
  private struct List: Decodable { let uri: String, name: String? }
  private struct Identity: Decodable { let did: String?, verified: Bool? }

  @Test func listsAreEditedFilledFromEachOtherAndExported() async throws {
    let dave = try await Person.signedIn(as: "dave", to: try await LiveNetwork.populated().network)
    defer { dave.end() }
    func run(_ line: String, status: Int32 = 0) async throws -> KithRun {
      let run = try await dave.kith(line)
      #expect(run.status == status, "\(line): \(run.talk)")
      return run
    }
    #expect(
      try await run("lists create Ducks --purpose curate synth610.test synth611.test").changes().count == 3)
    #expect(try await run("lists edit Ducks --name Geese").changes().map(\.state) == ["done"])
    #expect(try await run("lists create Swans --purpose curate").changes().count == 1)
    let geese = try #require(try await run("lists").rows(List.self).first { $0.name == "Geese" })
    #expect(
      try await run("lists import Swans --from \(geese.uri) --yes").changes().map(\.state) == [
        "done", "done",
      ])
    let exported = try await run("lists export Swans").output.split(separator: "\n")
    #expect(exported.count >= 2)
    #expect(try await run("starter-packs --of dave.test").output == "")
    let resolved = try await run("resolve alice.test").rows(Identity.self)
    #expect(resolved.map(\.verified) == [true])
    #expect(resolved.first?.did == (try dave.network.did("alice").description))
    #expect(try await run("lists delete Geese Swans --yes").changes().allSatisfy { $0.state == "done" })
  }

  @Test func jobsAreShownUndoneWhenDueAndPruned() async throws {
    let dave = try await Person.signedIn(as: "dave", to: try await LiveNetwork.populated().network)
    defer { dave.end() }
    #expect(try await dave.kith("block synth620.test --for 1s --yes").status == 0)
    #expect(try await dave.kith("jobs show 1").changes().map(\.state) == ["done"])
    for verb in ["pause", "cancel"] { #expect(try await dave.kith("jobs \(verb) 1").status == 64) }
    for verb in ["resume", "retry-failed"] { #expect(try await dave.kith("jobs \(verb) 1").status == 0) }
    var due = try await dave.kith("jobs due")
    // A second has to pass on the system clock, which kith reads.
    for _ in 0..<50 where due.output.isEmpty { due = try await dave.kith("jobs due") }
    #expect(due.status == 0 && !due.output.isEmpty, "\(due.talk)")
    #expect(try await dave.kith("check dave.test synth620.test --is blocking").status == 1)
    let pruned = try await dave.kith("jobs prune")
    #expect(pruned.status == 0, "\(pruned.talk)")
  }

  @Test func mutesAreShownOnlyToTheViewer() async throws {
    struct Row: Decodable { let muted: Bool? }
    let ivan = try await Person.signedIn(as: "ivan", to: try await LiveNetwork.populated().network)
    defer { ivan.end() }
    #expect(try await ivan.kith("mute synth650.test --yes").status == 0)
    let few = try await ivan.kith("check me synth650.test synth651.test")
    #expect(try few.rows(Row.self).map(\.muted) == [true, false], "\(few.talk)")
    let many = try await ivan.kith("check me --followers-of alice.test --is muted --any -q")
    #expect(many.status == 0, "\(many.talk)")
    #expect(try await ivan.kith("check dave.test synth650.test --is muted").status == 77)
    #expect(try await ivan.kith("unmute synth650.test --yes").status == 0)
    #expect(try await ivan.kith("check me synth650.test --is muted -q").status == 1)
  }

  /// A PDS that cannot forward a report: nothing is claimed to be reported.
  @Test func aReportThatIsNotAcceptedSaysSo() async throws {
    let dave = try await Person.signedIn(as: "dave", to: try await LiveNetwork.populated().network)
    defer { dave.end() }
    let run = try await dave.kith("report synth621.test --reason spam")
    #expect(![0, 1, 70].contains(run.status), "\(run.talk)")
    #expect(!run.output.contains("\"reported\""))
  }
}
