// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// Lists on a PDS that these tests did not write, and as an AppView shows them. They run serially: all are
/// carol's.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .serialized,
  .timeLimit(.minutes(3)))
struct ListTests {
  private struct List: Decodable {
    let uri: String
    let name: String?
    let members: Int?
  }

  private struct Member: Decodable {
    let subject: String
    let handle: String?
  }

  private struct Edges: Decodable {
    let following: String?
    let blockingByList: String?
  }

  private func asCarol(_ act: (Person) async throws -> Void) async throws {
    let carol = try await Person.signedIn(as: "carol", to: try await LiveNetwork.populated().network)
    defer { carol.end() }
    try await act(carol)
  }

  /// Runs a command until its first row is as expected, for up to a minute: an AppView lags.
  private func rows<Row: Decodable>(
    _ person: Person, _ line: String, of type: Row.Type, once isThere: ([Row]) -> Bool
  ) async throws -> [Row] {
    let deadline = ContinuousClock().now + .seconds(60)
    while true {
      let rows = try await person.kith(line).rows(type)
      if isThere(rows) || ContinuousClock().now > deadline { return rows }
    }
  }

  @Test func createsShowsAndDeletesAListOfHundreds() async throws {
    try await asCarol { carol in
      let names = (0..<250).map { "synth\($0).test" }
      let made = try await carol.kith(
        "lists create Birds --purpose curate -", input: names.joined(separator: "\n"))
      #expect(made.status == 0, "\(made.talk)")
      let made251 = try made.changes()
      #expect(made251.count == 251 && made251.allSatisfy { $0.state == "done" })
      let uri = try #require(made251.first?.subject)
      // From the repository at once, from the AppView when it has caught up.
      let own = try await carol.kith("lists show Birds").rows(Member.self)
      #expect(Set(own.map(\.handle)) == Set(names))
      let shown = try await rows(carol, "check carol.test --list \(uri)", of: Edges.self) { $0.count == 250 }
      #expect(shown.count == 250)
      let counted = try await rows(carol, "lists --of carol.test", of: List.self) {
        $0.first { $0.uri == uri }?.members == 250
      }
      #expect(counted.contains { $0.uri == uri && $0.members == 250 })
      let again = try await carol.kith("lists add Birds synth3.test synth300.test")
      #expect(try again.changes().map(\.state) == ["unchanged", "done"])
      let removed = try await carol.kith("lists remove Birds synth3.test")
      #expect(try removed.changes().map(\.state) == ["done"])
      let deleted = try await carol.kith("lists delete Birds --yes")
      #expect(try deleted.changes().first?.notes.isEmpty == false)
      #expect(try await carol.kith("lists show \(uri)").status == 67)
      #expect(try await carol.kith("lists").rows(List.self).contains { $0.uri == uri } == false)
      let gone = try await rows(carol, "lists --of carol.test --no-cache", of: List.self) {
        !$0.contains { $0.uri == uri }
      }
      #expect(!gone.contains { $0.uri == uri })
    }
  }

  @Test func aModerationListBlocksAndIsDeletedWithItsBlock() async throws {
    try await asCarol { carol in
      #expect(try await carol.kith("follow synth600.test").status == 0)
      _ = try await rows(carol, "check carol.test synth600.test", of: Edges.self) {
        $0.first?.following != nil
      }
      let made = try await carol.kith("lists create Noise --purpose mod synth600.test synth601.test")
      #expect(made.status == 77)
      #expect(try made.changes().map(\.state) == ["done", "refused", "done"])
      #expect(try await carol.kith("block-list Noise").status == 0)
      let blocked = try await rows(carol, "check carol.test synth601.test", of: Edges.self) {
        $0.first?.blockingByList != nil
      }
      #expect(blocked.first?.blockingByList != nil)
      let deleted = try await carol.kith("lists delete Noise --yes")
      #expect(try deleted.changes().first?.notes.isEmpty == false)
      let free = try await rows(carol, "check carol.test synth601.test --no-cache", of: Edges.self) {
        $0.first?.blockingByList == nil
      }
      #expect(free.first?.blockingByList == nil)
      #expect(try await carol.kith("unfollow synth600.test").status == 0)
    }
  }

  @Test func aStarterPackIsFollowed() async throws {
    try await asCarol { carol in
      let listRecord =
        #"{"$type":"app.bsky.graph.list","name":"Pack","purpose":"app.bsky.graph.defs#referencelist","createdAt":"2026-01-01T00:00:00.000Z"}"#
      let made = try await carol.kith(
        "xrpc procedure com.atproto.repo.createRecord --input - --account carol.test",
        input:
          #"{"repo":"carol.test","collection":"app.bsky.graph.list","rkey":"3k2yihcrp6f2l","record":\#(listRecord)}"#
      )
      #expect(made.status == 0, "\(made.talk)")
      let answer = try JSONCoding.decode(DataValue.self, from: Array(made.output.utf8))
      let list = try #require(answer["uri"]?.string)
      let added = try await carol.kith("lists add \(list) synth602.test synth603.test")
      #expect(added.status == 0, "\(added.talk)")
      let record =
        #"{"$type":"app.bsky.graph.starterpack","name":"Pack","list":"\#(list)","createdAt":"2026-01-01T00:00:00.000Z"}"#
      let pack = try await carol.kith(
        "xrpc procedure com.atproto.repo.createRecord --input - --account carol.test",
        input:
          #"{"repo":"carol.test","collection":"app.bsky.graph.starterpack","rkey":"3k2yihcrp6f2c","record":\#(record)}"#
      )
      #expect(pack.status == 0, "\(pack.talk)")
      let uri = "at://carol.test/app.bsky.graph.starterpack/3k2yihcrp6f2c"
      let members = try await rows(carol, "starter-packs show \(uri) -q", of: Member.self) { $0.count == 2 }
      #expect(members.count == 2)
      _ = try await rows(carol, "check carol.test --list \(list)", of: Edges.self) { $0.count == 2 }
      let followed = try await carol.kith("starter-packs follow \(uri) --yes")
      #expect(
        try Set(followed.changes().map { "\($0.input) \($0.state)" })
          == ["synth602.test done", "synth603.test done"])
      #expect(try await carol.kith("unfollow synth602.test synth603.test --yes").status == 0)
      #expect(try await carol.kith("lists delete Pack --yes").status == 0)
    }
  }
}
