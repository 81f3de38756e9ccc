// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// `kith export` and `kith import` with a PDS and an AppView that we did not write.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct TransferTests {
  private struct Row: Decodable, Hashable {
    let kind: String, did: String?, name: String?, purpose: String?, description: String?
  }

  @Test func importsWhatAnotherAccountExported() async throws {
    let network = try await LiveNetwork.populated().network
    let olivia = try await Person.signedIn(as: "olivia", to: network)
    let zoe = try await Person.signedIn(as: "zoe", to: network)
    defer {
      olivia.end()
      zoe.end()
    }
    for line in [
      "follow synth1.test synth2.test synth3.test", "block synth4.test --yes", "mute synth5.test",
      "lists create Noise --purpose mod --description =1+1 synth6.test synth7.test", "block-list Noise --yes",
    ] {
      let run = try await olivia.kith(line)
      try #require(run.status == 0, "\(line): \(run.talk)")
    }

    let csv = try await olivia.kith("export relationships --format csv")
    #expect(csv.status == 0, "\(csv.talk)")
    let made = try await zoe.kith("import - --yes", input: csv.output)
    #expect(made.status == 0, "\(made.talk)")
    #expect(try made.changes().allSatisfy { $0.state == "done" })

    let line = "export relationships --format ndjson"
    let wanted = Set(try await olivia.kith(line).rows(Row.self))
    #expect(Set(wanted.map(\.kind)).isSuperset(of: ["follow", "block", "mute", "list", "member"]))
    #expect(Set(try await zoe.kith(line).rows(Row.self)) == wanted)
    // As read by code that is not Kith's.
    let reader = RecordReader(network)
    for collection in ["app.bsky.graph.follow", "app.bsky.graph.block", "app.bsky.graph.listitem"] {
      let exported = try await reader.subjects(of: network.did("olivia"), in: collection)
      let imported = try await reader.subjects(of: network.did("zoe"), in: collection)
      #expect(!exported.isEmpty && imported == exported)
    }
    #expect(try await reader.mutes(of: network.account("zoe")).count == 1)
    #expect(
      try await zoe.kith("import - --yes", input: csv.output).changes().allSatisfy { $0.state == "unchanged" }
    )
  }
}
