// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Starter packs that another app has made, and what following them does.
@Suite struct StarterPackTests {
  private let network = FaultyNetwork()
  private static let pack = "https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c"

  /// Writes a record into Alice's repository.
  private func write(_ collection: NSID, _ key: String, _ fields: DataObject) throws {
    let value = DataValue.object(
      fields.merging(["$type": .string("\(collection)"), "createdAt": "2026-01-01T00:00:00.000Z"]) { $1 })
    #expect(
      network.setRecords([try RecordKey(parsing: key): value], in: collection, of: try network.did("alice")))
  }

  private func writePack(_ list: String) throws {
    try write(.starterpack, "3k2yihcrp6f2c", ["name": "Birds", "list": .string(list)])
  }

  /// A list as apps create it for a starter pack.
  private func referenceList(of accounts: AccountChoice, by alice: ServedUser) async throws -> String {
    try write(
      .list, "3k2yihcrp6f2l", ["name": "Pack", "purpose": "app.bsky.graph.defs#referencelist"])
    let list = "at://\(try alice.did("alice"))/app.bsky.graph.list/3k2yihcrp6f2l"
    try await alice.carryOut(ChangeListMembers(.add(), accounts, list: list))
    return list
  }

  private func follow(
    _ pack: String = pack, confirmed isConfirmed: Bool = false, as mode: ChangeMode = .carryOut
  ) -> Change<FollowStarterPack> {
    var change = Change(FollowStarterPack(pack))
    (change.isConfirmed, change.mode) = (isConfirmed, mode)
    return change
  }

  @Test func starterPacksAreShownAndFollowed() async throws {
    let alice = try await ServedUser(on: network), other = try await ServedUser(nil, on: network)
    let list = try await referenceList(of: .cast("bob", "dave", "niaj"), by: alice)
    try writePack(list)
    let packs = try await alice.run(ShowStarterPacks(of: alice.actor("alice"))).rows
    #expect(packs.contains { $0.pack.name == "Birds" && "\($0.pack.list)" == list })
    let named = try await other.workspace().list(named: Self.pack, of: nil)
    let shown = try await other.run(ListMembers(of: named, withHandles: true))
    #expect(shown.outcome.ending == .done)
    #expect(Set(shown.rows.map(\.member).handles) == ["bob.test", "dave.test", "niaj.test"])
    #expect(try await alice.run(follow(as: .preview)).outcome.ending == .done)
    let followed = try await alice.run(follow(confirmed: true))
    #expect(followed.outcome.ending == .done)
    #expect(
      Set(followed.rows.map { "\($0.input) \($0.state)" })
        == ["bob.test unchanged", "dave.test done", "niaj.test done"])
    let faults: [(String, OperationError.Code, FailureKind)] = [
      ("\(Self.pack)x", .noStarterPack, .notFound), (list, .notAStarterPack, .invalidInput),
    ]
    for (name, code, kind) in faults {
      let error = await #expect(throws: OperationError.self) {
        try await alice.workspace().starterPack(named: name)
      }
      #expect(error?.code == code && error?.kind == kind)
    }
  }

  /// The record of a pack may refer to any list of any account.
  @Test func onlyTheReferenceListOfAPackIsFollowed() async throws {
    let alice = try await ServedUser(on: network)
    try await alice.carryOut(
      CreateList(ListDraft(name: "Readers", purpose: .curate), with: .cast("dave")))
    let readers = try #require(try await alice.run(ShowLists()).rows.first { $0.name == "Readers" }).uri
    try writePack("\(readers)")
    let before = try alice.subjects(.follow)
    for change in [follow(), follow(confirmed: true), follow(as: .preview)] {
      let error = await #expect(throws: OperationError.self) { try await alice.run(change) }
      #expect(error?.code == .foreignPackList && error?.kind == .invalidResponse)
      #expect(error?.fields.contains(OutputField("list", .string("\(readers)"))) == true)
    }
    try writePack("at://\(try alice.did("bob"))/app.bsky.graph.list/3k2a")
    let carriedOut = await #expect(throws: OperationError.self) {
      try await alice.run(follow(confirmed: true))
    }
    let estimated = await #expect(throws: OperationError.self) {
      try await follow().cost(in: alice.workspace()) { _ in }
    }
    for error in [carriedOut, estimated] {
      #expect(error?.code == .foreignPackList && error?.kind == .invalidResponse)
    }
    #expect(try alice.subjects(.follow) == before)
  }

  @Test func followingMoreThanAPackHoldsIsAskedAbout() async throws {
    let alice = try await ServedUser(on: network)
    let names = network.accounts.accounts.dropFirst(14).map { "\($0.did)\n" }.joined()
    try writePack(try await referenceList(of: .file(names), by: alice))
    let before = try alice.subjects(.follow)
    let declined = try await alice.run(follow())
    #expect(declined.outcome.ending == .declined && declined.questions.map(\.code) == ["longList"])
    #expect(try alice.subjects(.follow) == before)
    let followed = try await alice.run(follow(confirmed: true))
    #expect(followed.rows.count { $0.state == .done || $0.state == .unchanged } > 150)
    #expect(try alice.subjects(.follow).count > before.count)
  }
}
