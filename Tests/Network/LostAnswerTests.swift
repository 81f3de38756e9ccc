// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Foundation
import TestSupport
import Testing

/// Commits that the PDS has done and whose answers never arrive.
@Suite(.enabled(if: LiveNetwork.isUp), .timeLimit(.minutes(4)))
struct LostAnswerTests {
  @Test func commitsWhoseAnswersAreLostAreMadeOnce() async throws {
    let network = try await LiveNetwork.populated().network
    let proxy = try ForgetfulProxy(
      before: network.pds.url, losingEvery: 3, of: "com.atproto.repo.applyWrites")
    let trent = try await Person.signedIn(as: "trent", to: network, at: proxy.url)
    defer { trent.end() }
    let subjects = MadeUpAccounts.dids(60, seed: 5)
    let run = try await trent.kith(
      "follow - --points 1000000/1000000 --leave 0 --commit-size 4", input: subjects.joined(separator: "\n"))
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.rows(Person.Change.self).map(\.state) == Array(repeating: "done", count: 60))
    #expect(proxy.lost == 5)
    let followed = try await RecordReader(network).subjects(
      of: network.did("trent"), in: "app.bsky.graph.follow")
    #expect(followed == subjects.sorted())
    let undo = try await trent.kith("jobs undo 1 --yes --commit-size 4")
    #expect(undo.status == 0, "\(undo.talk)")
    #expect(proxy.lost == 10)
    let left = try await RecordReader(network).subjects(
      of: network.did("trent"), in: "app.bsky.graph.follow")
    #expect(left == [])
  }
}
