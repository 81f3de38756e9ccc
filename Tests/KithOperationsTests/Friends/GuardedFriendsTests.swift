// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Friends whose servers want a sign-in for reading.
@Suite struct GuardedFriendsTests {
  private static let network = FaultyNetwork(accounts: 100)

  @Test func theOwnRepositoryIsReadWithTheSessionWhereItsServerAsks() async throws {
    let user = try await ServedUser(on: Self.network)
    let (alice, carol) = (try user.did("alice"), try user.did("carol"))
    let guarded = GuardedRepositories(Self.network, guarding: [alice])
    let friends = ListFriends(of: .did(alice), by: .consent)
    let (open, closed) = (try await user.run(friends), try await user.run(friends, over: guarded))
    #expect(open.rows.count > 0 && closed.outcome.friends == open.outcome.friends)
    let sent = ListSentRequests(by: .did(alice))
    #expect(try await user.run(sent, over: guarded).rows.count == user.run(sent).rows.count)
    let inbox = ListReceivedRequests(of: try await user.workspace().account(), from: .accounts([carol]))
    #expect(try await user.run(inbox, over: guarded).outcome.rows.interruption == nil)
    let graphs = ListGraphs(of: .did(alice))
    #expect(try await user.run(graphs, over: guarded).rows.count == user.run(graphs).rows.count)
    #expect(guarded.readWithSession == ["\(alice)"])
  }

  @Test func anExportReadsTheOwnRepositoryWithTheSessionWhereItsServerAsks() async throws {
    let user = try await ServedUser(on: Self.network)
    let alice = try user.did("alice")
    let guarded = GuardedRepositories(Self.network, guarding: [alice])
    func export(over transport: (any HTTPTransport)? = nil) async throws -> OperationRun<ExportRelationships>
    {
      let workspace = user.workspace(over: transport)
      let account = try await workspace.account()
      return try await user.run(
        ExportRelationships(
          [.followers, .following, .blocks, .mutes, .lists, .friends, .settings], of: .did(alice), as: account
        ),
        in: workspace)
    }
    let (open, closed) = (try await export(), try await export(over: guarded))
    #expect(!open.rows.isEmpty && closed.rows.count == open.rows.count)
    #expect(open.outcome.ending == .done && closed.outcome.ending == .done)
    #expect(guarded.readWithSession == ["\(alice)"])
  }

  @Test func anotherServerNeverGetsTheSession() async throws {
    let user = try await ServedUser(on: Self.network)
    let bob = try user.did("bob")
    let guarded = GuardedRepositories(Self.network, guarding: [bob])
    let account = try await user.workspace().account()
    let run = try await user.run(ListReceivedRequests(of: account, from: .accounts([bob])), over: guarded)
    #expect(run.outcome.unknown == 1 && run.outcome.rows.interruption != nil)
    #expect(guarded.readWithSession.isEmpty)
  }

  @Test func anAccountThatNeverAskedHasNoRequest() async throws {
    let user = try await ServedUser(on: Self.network)
    let others = try ["frank", "heidi", "ivan", "niaj", "trent"].map { try user.did($0) }
    let inbox = ListReceivedRequests(of: try await user.workspace().account(), from: .accounts(others))
    let outcome = try await user.run(inbox).outcome
    #expect(outcome.gone == 0 && outcome.withoutRequest > 0)
    #expect(outcome.withoutRequest + outcome.blocked + outcome.unknown == others.count)
  }
}
