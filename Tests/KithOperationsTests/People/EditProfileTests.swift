// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import Testing

/// Changes of the own profile, and what is said about how they were made.
@Suite struct EditProfileTests {
  private func biography(_ text: String) -> ProfileEdit {
    var edit = ProfileEdit()
    edit.bio = text
    return edit
  }

  @Test func whatIsNotNamedStays() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(accounts: 60))
    func view() async throws -> AccountView? {
      try await alice.run(ShowProfile(alice.actor("alice"))).rows.first?.view
    }
    let edit = biography("I like birds.")
    let run = try await alice.run(Change(EditProfile(edit, avatar: try .sample("photo.png"))))
    #expect(run.questions.isEmpty && run.outcome.ending == .done)
    let changed = try await view()
    #expect(changed?.description == edit.bio && changed?.displayName == "Alice")
    #expect(try alice.records(.profile).values.first?["avatar"]?.type == "blob")
    #expect(try await alice.run(Change(EditProfile(edit))).rows.map(\.state) == [.unchanged])
    #expect(try await alice.run(UndoJob(JobID(number: 1))).outcome.ending == .done)
    #expect(try await view()?.description != edit.bio)
  }

  @Test(arguments: [(SandboxDialect.reference, false), (.arroba, true)])
  func aWeakerCheckIsSaid(dialect: SandboxDialect, isWeaker: Bool) async throws {
    let alice = try await ServedUser(on: FaultyNetwork(dialect, accounts: 60))
    func uncompared(_ run: OperationRun<some KithOperation>) -> Int {
      run.notes.count { $0.code == "edgesMadeUncompared" }
    }
    let edited = try await alice.run(Change(EditProfile(biography("I like birds."))))
    #expect(edited.outcome.ending == .done && edited.outcome.replacedUncompared == isWeaker)
    let follow = try await alice.confirmed(ChangeAccounts(.follow(), .cast("judy", "niaj")))
    #expect(follow.outcome.ending == .done && !follow.outcome.replacedUncompared)
    #expect(uncompared(follow) == (isWeaker ? 1 : 0))
    #expect(uncompared(try await alice.confirmed(ChangeAccounts(.unfollow(), .cast("judy")))) == 0)
  }
}
