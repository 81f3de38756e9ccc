// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

/// Commits that the PDS has accepted and whose answers never arrive.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(4)))
struct LostAnswerTests {
  private static let follows = "app.bsky.graph.follow"

  @Test func commitsWithLostAnswersAreMadeOnce() async throws {
    let network = try await LiveNetwork.populated().network
    let proxy = try ForgetfulProxy(
      before: network.pds.url, losingEvery: 3, of: "com.atproto.repo.applyWrites")
    let trent = try await Person.signedIn(as: "trent", to: network, at: proxy.url)
    defer { trent.end() }
    let (reader, did) = (RecordReader(network), try network.did("trent"))
    let subjects = try await network.strangers(60, seed: 5)
    let run = try await trent.kith(
      "follow - --points 1000000/1000000 --leave 0 --commit-size 4", input: subjects.joined(separator: "\n"))
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.changes().map(\.state) == Array(repeating: "done", count: 60))
    #expect(proxy.lost == 5)
    #expect(try await reader.subjects(of: did, in: Self.follows) == subjects.sorted())
    let undo = try await trent.kith("jobs undo 1 --yes --commit-size 4")
    #expect(undo.status == 0, "\(undo.talk)")
    #expect(proxy.lost == 10)
    #expect(try await reader.subjects(of: did, in: Self.follows) == [])
  }

  /// The client looks the commit up, does not find it, and sends it again; then the first one arrives after
  /// all.
  @Test func commitsThatArriveLateAreMadeOnce() async throws {
    let network = try await LiveNetwork.populated().network
    let proxy = try ForgetfulProxy(
      before: network.pds.url, losingEvery: 4, of: "com.atproto.repo.applyWrites", .before(delay: 2.5))
    let walter = try await Person.signedIn(as: "walter", to: network, at: proxy.url)
    defer { walter.end() }
    let (reader, did) = (RecordReader(network), try network.did("walter"))
    let subjects = try await network.strangers(40, seed: 6)
    let run = try await walter.kith(
      "follow - --points 1000000/1000000 --leave 0 --commit-size 4", input: subjects.joined(separator: "\n"))
    #expect(run.status == 0, "\(run.talk)")
    #expect(proxy.lost >= 3)
    await proxy.untilAllArrived()
    #expect(proxy.late == proxy.lost)
    #expect(try await reader.subjects(of: did, in: Self.follows) == subjects.sorted())
  }
}
