// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Exports of a served network, and what they leave out.
@Suite struct ExportRelationshipsTests {
  private func leftOut(_ notes: [Note]) -> [[String]] {
    notes.compactMap { note in
      if case .followsLeftOut(let graphs) = note { graphs.map(\.name) } else { nil }
    }
  }

  @Test func followsOfOtherAppsThatAreLeftOutAreNamed() async throws {
    let user = try await ServedUser(on: FaultyNetwork())
    let account = try await user.workspace().account()
    let tangled = try #require(FollowGraph(parsing: "tangled"))
    try await user.change(.follow(user.did("bob"), in: tangled))
    let actor = try user.actor("alice")
    let all: [ExportRelationships.Part] = [.following, .blocks, .lists, .friends]
    var export = ExportRelationships(all, of: actor, as: account)
    let left = leftOut(try await user.run(export).notes)
    #expect(
      left.count == 1 && left.first?.contains("tangled") == true && left.first?.contains("bluesky") == false)
    export.graphs += left.joined().compactMap { FollowGraph(parsing: $0) }
    #expect(leftOut(try await user.run(export).notes) == [])
    let blocks = try await user.run(ExportRelationships([.blocks], of: actor, as: account))
    #expect(leftOut(blocks.notes) == [] && blocks.calls["com.atproto.repo.describeRepo"] == nil)
    let failing = FailingMethods(network: user.network, methods: ["com.atproto.repo.describeRepo"])
    let unknown = try await user.run(ExportRelationships([.following], of: actor, as: account), over: failing)
    #expect(unknown.notes.contains { if case .otherFollowsUnknown = $0 { true } else { false } })
    #expect(unknown.outcome.interruption == nil)
  }

  @Test func rowsOfFriendsHaveTheNamesThatAreLookedUp() async throws {
    let user = try await ServedUser(on: FaultyNetwork())
    try await user.change(.friends(.request(user.did("bob"), FriendRequestDraft(.friend))))
    let account = try await user.workspace().account()
    let export = ExportRelationships([.friends], of: try user.actor("alice"), as: account, withNames: true)
    let rows = try await user.run(export).rows
    let handles = rows.map(\.account?.handle?.description)
    #expect(handles.contains("bob.test") && !handles.contains(nil))
  }
}
