// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Lists, from the command line to the records of a sandbox.
@Suite struct ListCommandTests {
  private struct List: Decodable {
    let uri: String, name: String?, purpose: String?, owner: String, description: String?
    let members: Int?, muted: Bool?, block: String?
  }

  private struct Member: Decodable {
    let list: String, subject: String, handle: String?, item: String, since: String?
  }

  private func members(_ alice: SignedInRun, of list: String) async throws -> [Member] {
    let run = try await alice.kith("lists show \(list)")
    #expect(run.status == 0, "\(run.talk)")
    return try run.rows(Member.self)
  }

  @Test func foreignTextInCSVIsHarmless() async throws {
    let alice = try await SignedInRun()
    let made = try await alice.kith(
      "lists create x\u{202E}]0;owned\u{2066} --purpose mod --description =HYPERLINK(\"https://evil.example\")"
    )
    #expect(made.status == 0, "\(made.talk)")
    let csv = try await alice.kith("lists --format csv").output
    #expect(csv.contains(",x\u{FFFD}]0;owned\u{FFFD},") && !csv.contains("\u{202E}"))
    #expect(csv.contains(#","'=HYPERLINK(""https://evil.example"")""#))
    let raw = try await alice.kith("lists --format csv --raw-csv").output
    #expect(raw.contains(#","=HYPERLINK(""https://evil.example"")""#) && !raw.contains("\u{202E}"))
  }

  @Test func aListIsCreatedFilledShownEditedAndDeleted() async throws {
    let alice = try await SignedInRun()
    let made = try await alice.kith(
      "lists create Birds --purpose curate --description Feathers bob.test dave.test")
    #expect(made.status == 0, "\(made.talk)")
    let rows = try made.changes()
    #expect(rows.map(\.state) == ["done", "done", "done"])
    #expect(rows.map(\.input) == ["Birds", "bob.test", "dave.test"])
    let uri = try #require(rows.first?.subject)
    #expect(rows.first?.writes.map(\.uri) == [uri])
    let lists = try await alice.kith("lists").rows(List.self)
    let mine = try #require(lists.first { $0.uri == uri })
    #expect(mine.name == "Birds" && mine.purpose == "curate" && mine.description == "Feathers")
    #expect(mine.members == 2)
    let shown = try await members(alice, of: "Birds")
    #expect(Set(shown.map(\.handle)) == ["bob.test", "dave.test"])
    #expect(shown.allSatisfy { $0.list == uri && $0.since != nil && $0.item.contains("listitem") })
    #expect(try await alice.kith("lists edit Birds --name Owls").status == 0)
    #expect(try await alice.kith("lists show Birds").status == 65)
    #expect(try await members(alice, of: uri).count == 2)
    let unasked = try await alice.kith("lists delete Owls")
    #expect(unasked.status == 64)
    #expect(try unasked.output == "" && unasked.codes == ["needsConfirmation"])
    let deleted = try await alice.kith("lists delete Owls --yes")
    #expect(deleted.status == 0)
    #expect(try deleted.changes().first?.writes.map(\.action) == ["delete", "delete", "delete"])
    #expect(try await alice.kith("lists").rows(List.self).contains { $0.uri == uri } == false)
    #expect(try await alice.kith("lists show \(uri)").status == 67)
    #expect(try await alice.kith("jobs undo 3").status == 0)
    #expect(Set(try await members(alice, of: "Owls").map(\.item)) == Set(shown.map(\.item)))
  }

  @Test func existingStateCostsNothing() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("lists create Birds --purpose curate bob.test").status == 0)
    let again = try await alice.kith("lists create Birds --purpose curate bob.test dave.test -v")
    #expect(try again.changes().map(\.state) == ["unchanged", "unchanged", "done"])
    let added = try await alice.kith("lists add Birds bob.test dave.test -v")
    #expect(added.status == 0)
    #expect(try added.changes().map(\.state) == ["unchanged", "unchanged"])
    #expect(try !added.hasCalled("com.atproto.repo.applyWrites"))
    let other = try await alice.kith("lists create Birds --purpose mod")
    #expect(other.status == 65)
    #expect(try other.message("changeFault")?["cause"]?["code"] == "refusal.nameTaken")
    let removed = try await alice.kith("lists remove Birds carol.test")
    #expect(removed.status == 0)
    #expect(try removed.changes().map(\.state) == ["unchanged"])
  }

  @Test func moderationListsRefuseFollowedAccounts() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("lists create Noise --purpose mod bob.test dave.test")
    #expect(run.status == 77)
    let rows = try run.changes()
    #expect(rows.map(\.state) == ["done", "refused", "done"])
    #expect(rows[1].error != nil)
    #expect(try await members(alice, of: "Noise").map(\.handle) == ["dave.test"])
    let allowed = try await alice.kith("lists add Noise bob.test --allow-mutuals")
    #expect(allowed.status == 0)
    #expect(try allowed.changes().map(\.state) == ["done"])
    #expect(try await members(alice, of: "Noise").count == 2)
  }

  @Test func aListIsFilledFromAnotherAndFromAFile() async throws {
    let alice = try await SignedInRun()
    let theirs = try #require(try await alice.kith("lists --of grace.test").rows(List.self).first)
    let all = try await members(alice, of: theirs.uri)
    #expect(all.count > 100)
    let copy = try await alice.kith("lists create Copy --purpose curate --from \(theirs.uri) -q --yes")
    #expect(copy.status == 0, "\(copy.talk)")
    #expect(Set(try await members(alice, of: "Copy").map(\.subject)) == Set(all.map(\.subject)))
    let export = try await alice.kith("lists export Copy --format csv")
    #expect(export.output.hasPrefix("list,subject,handle,displayName,item,since,status,relationship,muted\n"))
    #expect(try await alice.kith("lists create Again --purpose curate").status == 0)
    let imported = try await alice.kith(
      "lists import Again - --column subject -q", input: export.output)
    #expect(imported.status == 0, "\(imported.talk)")
    #expect(try await members(alice, of: "Again").count == all.count)
    let own = try #require(try await alice.kith("lists").rows(List.self).first { $0.name == "Again" })
    let removed = try await alice.kith("lists remove Copy --from \(own.uri) --yes -q")
    #expect(removed.status == 0, "\(removed.talk)")
    #expect(try await members(alice, of: "Copy").isEmpty)
  }

  /// The list is deleted last: after an interruption it is still there, and the same command finishes the
  /// deletion.
  @Test func anInterruptedDeletionLeavesTheList() async throws {
    // 753 points for the list and its members; the first commit of the deletion needs 200.
    let alice = try await SignedInRun(
      at: try await SandboxRun(accounts: 400, writing: SandboxWriting(pointsPerHour: 960)))
    let active = alice.run.sandbox.network.accounts.filter { $0.status == .active }
    let accounts = active.suffix(250).map(\.did.description).joined(separator: "\n")
    let made = try await alice.kith("lists create Long --purpose curate - -q --leave 0", input: accounts)
    #expect(made.status == 0, "\(made.talk)")
    let cut = try await alice.kith("lists delete Long --yes --leave 0 --no-wait")
    #expect(cut.status == 75)
    #expect(try cut.message("jobStopped")?.number("job") == 2)
    let left = try await alice.kith("lists export Long").rows(Member.self)
    #expect(left.count == 50)
    let rest = try await alice.kith("lists delete Long --dry-run").changes()
    #expect(rest.first?.writes.count == 51)
    #expect(rest.first?.writes.last?.uri == left.first?.list)
  }

  /// Member records of a deleted list could no longer be found.
  @Test func undoingTheCreationOfAListDeletesItsMembers() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("lists create Brief --purpose curate bob.test").status == 0)
    #expect(try await alice.kith("lists add Brief dave.test erin.test").status == 0)
    let undo = try await alice.kith("jobs undo 1 --yes")
    #expect(undo.status == 0, "\(undo.talk)")
    #expect(try undo.message("undoneAlong")?.number("count") == 2)
    #expect(try await alice.kith("lists").rows(List.self).contains { $0.name == "Brief" } == false)
    let handle = try #require(Handle("alice.test"))
    let account = try #require(alice.run.sandbox.network.account(handle)).did
    let items = alice.run.sandbox.records(of: account, in: try NSID(parsing: "app.bsky.graph.listitem"))
    let lists = alice.run.sandbox.records(of: account, in: try NSID(parsing: "app.bsky.graph.list"))
    let keys = lists.map { "at://\(account)/app.bsky.graph.list/\($0.key)" }
    #expect(items.allSatisfy { keys.contains($0.value["list"]?.string ?? "") })
  }

  @Test func concurrentCreationsOrBlocksOfAListCreateOneRecord() async throws {
    let alice = try await SignedInRun()
    let theirs = try #require(try await alice.kith("lists --of grace.test").rows(List.self).first)
    for line in ["lists create Twins --purpose curate", "block-list \(theirs.uri) --allow-curation --yes"] {
      let runs = try await withThrowingTaskGroup { group in
        for _ in 0..<3 { group.addTask { try await alice.kith(line) } }
        return try await group.reduce(into: [KithRun]()) { $0.append($1) }
      }
      let states = try runs.flatMap { try $0.changes().map(\.state) }
      #expect(states.count { $0 == "done" } == 1, "\(states)")
      #expect(Set(states).isSubset(of: ["done", "unchanged", "pending"]), "\(states)")
    }
    #expect(try await alice.kith("lists").rows(List.self).count { $0.name == "Twins" } == 1)
    let handle = try #require(Handle("alice.test"))
    let account = try #require(alice.run.sandbox.network.account(handle)).did
    let blocks = alice.run.sandbox.records(of: account, in: try NSID(parsing: "app.bsky.graph.listblock"))
    #expect(blocks.count { $0.value["subject"]?.string == theirs.uri } == 1)
  }

  @Test func listsOfOthersCannotBeChanged() async throws {
    let alice = try await SignedInRun()
    let theirs = try #require(try await alice.kith("lists --of grace.test").rows(List.self).first)
    for line in ["lists add \(theirs.uri) dave.test", "lists delete \(theirs.uri) --yes"] {
      let run = try await alice.kith(line)
      #expect(run.status == 77)
      #expect(try run.changes().map(\.state) == ["refused"])
    }
  }

  @Test func anAmbiguousListNameIsAnError() async throws {
    let alice = try await SignedInRun()
    for _ in 0..<2 {
      let record =
        #"{"$type":"app.bsky.graph.list","name":"Twice","purpose":"app.bsky.graph.defs#curatelist","createdAt":"2026-01-01T00:00:00.000Z"}"#
      let body = #"{"repo":"alice.test","collection":"app.bsky.graph.list","record":\#(record)}"#
      let run = try await alice.kith(
        "xrpc procedure com.atproto.repo.createRecord --input - --account alice.test", input: body)
      #expect(run.status == 0, "\(run.talk)")
    }
    let lists = try await alice.kith("lists").rows(List.self).filter { $0.name == "Twice" }
    #expect(lists.count == 2)
    let run = try await alice.kith("lists add Twice dave.test")
    #expect(run.status == 65)
    let named = try run.message("ambiguousListName")?["uris"]?.array?.compactMap(\.string)
    #expect(Set(named ?? []) == Set(lists.map(\.uri)))
    let unknown = try await alice.kith("lists show Thrice")
    #expect(unknown.status == 65)
    #expect(try unknown.message("unknownListName")?["names"]?.array?.contains("Twice") == true)
    let key = try #require(lists.first?.uri.split(separator: "/").last)
    let byPage = try await alice.kith("lists add https://bsky.app/profile/alice.test/lists/\(key) dave.test")
    #expect(byPage.status == 0)
  }

  @Test func listsOfOthersAreShownWithoutASession() async throws {
    let run = try await SandboxRun()
    let lists = try await run.kith("lists --of grace.test")
    #expect(lists.status == 0)
    let list = try #require(try lists.rows(List.self).first { $0.purpose == "mod" })
    #expect(list.muted == nil)
    let shown = try await run.kith("lists show \(list.uri) --format table")
    #expect(shown.status == 0)
    #expect(shown.output.contains("heidi.test"))
    let own = try await run.kith("lists")
    #expect(own.status == 77)
    #expect(try own.codes == ["session.notSignedIn"])
    let named = try await run.kith("lists show Noise")
    #expect(named.status == 77)
    #expect(try named.codes == ["listNeedsSession"])
  }

  /// Writes a record into Alice's repository.
  private func create(
    _ collection: String, _ rkey: String, _ fields: String, _ alice: SignedInRun
  ) async throws {
    let record =
      #"{"$type":"\#(collection)",\#(fields),"createdAt":"2026-01-01T00:00:00.000Z"}"#
    let made = try await alice.kith(
      "xrpc procedure com.atproto.repo.createRecord --input - --account alice.test",
      input: #"{"repo":"alice.test","collection":"\#(collection)","rkey":"\#(rkey)","record":\#(record)}"#)
    #expect(made.status == 0, "\(made.talk)")
  }

  private func createPack(_ list: String, _ alice: SignedInRun) async throws {
    try await create(
      "app.bsky.graph.starterpack", "3k2yihcrp6f2c", #""name":"Birds","list":"\#(list)""#, alice)
  }

  private static let pack = "https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c"

  /// A list as apps create it for a starter pack.
  private func referenceList(
    of accounts: String, _ alice: SignedInRun, input: String = ""
  ) async throws -> String {
    try await create(
      "app.bsky.graph.list", "3k2yihcrp6f2l", #""name":"Pack","purpose":"app.bsky.graph.defs#referencelist""#,
      alice)
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let list = "at://\(did)/app.bsky.graph.list/3k2yihcrp6f2l"
    let added = try await alice.kith("lists add \(list) \(accounts)", input: input)
    #expect(added.status == 0, "\(added.talk)")
    return list
  }

  @Test func starterPacksAreShownAndFollowed() async throws {
    let alice = try await SignedInRun()
    let list = try await referenceList(of: "bob.test dave.test niaj.test", alice)
    try await createPack(list, alice)
    let packs = try await alice.kith("starter-packs --of alice.test --format csv")
    #expect(packs.output.contains("Birds") && packs.output.contains(list))
    let page = Self.pack
    let shown = try await alice.run.kith("starter-packs show \(page)")
    #expect(shown.status == 0, "\(shown.talk)")
    #expect(try Set(shown.rows(Member.self).map(\.handle)) == ["bob.test", "dave.test", "niaj.test"])
    let planned = try await alice.kith("starter-packs follow \(page) --dry-run")
    #expect(planned.status == 0, "\(planned.talk)")
    let followed = try await alice.kith("starter-packs follow \(page) --yes")
    #expect(followed.status == 0)
    let states = try followed.changes().map { "\($0.input) \($0.state)" }
    #expect(Set(states) == ["bob.test unchanged", "dave.test done", "niaj.test done"])
    #expect(try await alice.kith("starter-packs show \(page)x").status == 67)
    #expect(try await alice.kith("starter-packs show \(list)").status == 65)
  }

  /// The record of a pack may refer to any list of any account.
  @Test func onlyTheReferenceListOfAPackIsFollowed() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("lists create Readers --purpose curate dave.test").status == 0)
    let readers = try #require(try await alice.kith("lists").rows(List.self).first { $0.name == "Readers" })
    try await createPack(readers.uri, alice)
    let before = try alice.follows()
    for arguments in ["", " --yes", " --dry-run"] {
      let run = try await alice.kith("starter-packs follow \(Self.pack)\(arguments)")
      #expect(run.status == 76)
      #expect(try run.message("foreignPackList")?.text("list") == readers.uri)
    }
    let bob = try #require(Handle("bob.test").flatMap { alice.run.sandbox.network.account($0) }).did
    let body =
      #"{"repo":"alice.test","collection":"app.bsky.graph.starterpack","rkey":"3k2yihcrp6f2c","record":{"$type":"app.bsky.graph.starterpack","name":"Birds","list":"at://\#(bob)/app.bsky.graph.list/3k2a","createdAt":"2026-01-01T00:00:00.000Z"}}"#
    let put = try await alice.kith(
      "xrpc procedure com.atproto.repo.putRecord --input - --account alice.test", input: body)
    #expect(put.status == 0, "\(put.talk)")
    for arguments in [" --yes", " --explain"] {
      let run = try await alice.kith("starter-packs follow \(Self.pack)\(arguments)")
      #expect(run.status == 76)
      #expect(try run.message("foreignPackList") != nil)
    }
    #expect(try alice.follows() == before)
  }

  @Test func followingMoreThanAPackHoldsNeedsConfirmation() async throws {
    let alice = try await SignedInRun()
    let names = alice.run.sandbox.network.accounts.dropFirst(14).map(\.did.description)
      .joined(separator: "\n")
    let list = try await referenceList(of: "-", alice, input: names)
    try await createPack(list, alice)
    let before = try alice.follows()
    let run = try await alice.kith("starter-packs follow \(Self.pack)")
    #expect(run.status == 64)
    #expect(try run.codes == ["needsConfirmation"])
    #expect(try alice.follows() == before)
    let followed = try await alice.kith("starter-packs follow \(Self.pack) --yes")
    #expect(try followed.changes().count { $0.state == "done" || $0.state == "unchanged" } > 150)
    #expect(try alice.follows().count > before.count)
  }
}
