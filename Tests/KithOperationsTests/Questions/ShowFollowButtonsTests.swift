// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// What follow buttons show, also while servers fail.
@Suite(.timeLimit(.minutes(1))) struct ShowFollowButtonsTests {
  private let network = FaultyNetwork(clock: ManualClock(.skipping))
  private let user: ServedUser

  init() async throws { user = try await ServedUser(on: network) }

  private func states(
    _ names: [String], asking: Bool = false
  ) async throws -> [FollowButton.State] {
    let accounts = try names.map { try user.did($0) }
    return try await user.run(ShowFollowButtons(accounts, withRequests: asking)).rows.map(\.button.state)
  }

  @Test func theyShowHowTheAccountsAreRelated() async throws {
    let rows = try await user.run(
      ShowFollowButtons(["bob", "carol", "alice", "erin"].map { try user.did($0) }, withNames: true)
    ).rows
    #expect(rows.map(\.button.state).prefix(2) == [.mutual, .following])
    #expect(rows[2].isItself && !rows[0].isItself)
    #expect(rows[3].button.state == .blocked, "\(rows[3].button.state)")
    #expect(rows[0].view.displayName == "Bob")
  }

  @Test func anOwnChangeIsShownBeforeTheAppViewDoes() async throws {
    let workspace = user.workspace()
    let carol = try user.did("carol")
    network.begin(.lagging)
    let change = Change(
      ChangeAccounts(.unfollow(), AccountChoice(TargetStream(origins: [.argument("\(carol)")]))))
    _ = try await workspace.run(change, Reporter { _ in })
    let rows = PosixMutex<[FollowButtonRow]>([])
    for asksAgain in [false, true] {
      rows.withLock { $0 = [] }
      _ = try await workspace.run(
        ShowFollowButtons([carol], askingAgain: asksAgain), Reporter { more in rows.withLock { $0 += more } })
      #expect(rows.withLock { $0.map(\.button.state) } == [.follow])
    }
  }

  @Test(arguments: Fault.allCases) func whatWasNotLearnedIsUnknownAndNeverNo(fault: Fault) async throws {
    network.begin(fault)
    for asks in [false, true] {
      let run = try? await states(["bob", "carol", "erin"], asking: asks)
      guard let run else { continue }
      for (state, right) in zip(run, [FollowButton.State.mutual, .following, .blocked]) {
        #expect(state == right || state == .unknown, "\(fault): \(state)")
      }
    }
  }

  @Test func hundredAccountsTakeACallForThirtyAndOneForTwentyFive() async throws {
    let accounts = network.accounts.accounts.prefix(100).map(\.did)
    let before = network.requests
    #expect(try await user.run(ShowFollowButtons(accounts)).rows.count == 100)
    #expect(network.requests - before <= 12, "4 of relationships, 4 of profiles for mutes, and few besides")
  }
}
