// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Lists from the command line. `ListChangeTests` and `StarterPackTests` compare what is done with the records of the
/// network.
@Suite struct ListCommandTests {
  private struct List: Decodable {
    let uri: String, name: String?, purpose: String?, members: Int?, description: String?
  }

  private struct Member: Decodable {
    let list: String, subject: String, handle: String?
  }

  // MARK: Verbs

  @Test func aListIsCreatedFilledEditedAndDeleted() async throws {
    let alice = try await SignedInRun()
    let made = try await alice.kith(
      "lists create Birds --purpose curate --description Feathers bob.test dave.test")
    #expect(try made.status == 0 && made.changes().map(\.state) == ["done", "done", "done"], "\(made.talk)")
    let mine = try #require(try await alice.kith("lists").rows(List.self).first { $0.name == "Birds" })
    #expect(mine.purpose == "curate" && mine.description == "Feathers" && mine.members == 2)
    #expect(try await alice.kith("lists edit Birds --name Owls").status == 0)
    #expect(try await alice.kith("lists show Birds").message("unknownListName")?["names"] != nil)
    let export = try await alice.kith("lists export Owls --format csv").output
    #expect(export.hasPrefix("list,subject,handle,displayName,item,since,status,relationship,muted\n"))
    #expect(
      try await alice.kith("lists create Again --purpose curate --from \(mine.uri) -q --yes").status == 0)
    #expect(try await alice.kith("lists remove Again dave.test").status == 0)
    let imported = try await alice.kith("lists import Again - --column subject", input: export)
    #expect(try imported.status == 0 && Set(imported.changes().map(\.state)) == ["unchanged", "done"])
    let members = try await alice.kith("lists show Again").rows(Member.self)
    #expect(Set(members.map(\.handle)) == ["bob.test", "dave.test"])
    #expect(try await alice.kith("lists remove Again --from \(mine.uri) --yes").status == 0)
    let unasked = try await alice.kith("lists delete Owls")
    #expect(unasked.status == 64)
    #expect(try unasked.output == "" && unasked.codes == ["needsConfirmation"])
    #expect(try await alice.kith("lists delete Owls --yes").status == 0)
    #expect(try await alice.kith("lists show \(mine.uri)").status == 67)
  }

  @Test func refusalsHaveTheirStatusAndTheirCode() async throws {
    let alice = try await SignedInRun()
    let noise = try await alice.kith("lists create Noise --purpose mod bob.test dave.test")
    #expect(try noise.status == 77 && noise.changes().map(\.state) == ["done", "refused", "done"])
    #expect(try await alice.kith("lists add Noise bob.test --allow-mutuals").status == 0)
    let other = try await alice.kith("lists create Noise --purpose curate")
    #expect(other.status == 65)
    #expect(try other.message("changeFault")?["cause"]?["code"] == "refusal.nameTaken")
    let theirs = try #require(try await alice.kith("lists --of grace.test").rows(List.self).first)
    for line in ["lists add \(theirs.uri) dave.test", "lists delete \(theirs.uri) --yes"] {
      #expect(try await alice.kith(line).status == 77)
    }
    // What costs nothing calls nothing.
    let added = try await alice.kith("lists add Noise dave.test -v")
    #expect(try added.status == 0 && !added.hasCalled("com.atproto.repo.applyWrites"))
  }

  @Test func listsOfOthersAreShownWithoutASession() async throws {
    let run = try await SandboxRun()
    let list = try #require(
      try await run.kith("lists --of grace.test").rows(List.self).first { $0.purpose == "mod" })
    let shown = try await run.kith("lists show \(list.uri) --format table")
    #expect(shown.status == 0 && shown.output.contains("heidi.test"))
    for (line, code) in [("lists", "session.notSignedIn"), ("lists show Noise", "listNeedsSession")] {
      let refused = try await run.kith(line)
      #expect(try refused.status == 77 && refused.codes == [code])
    }
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

  @Test func anAmbiguousListNameIsAnError() async throws {
    let alice = try await SignedInRun()
    for key in ["3k2yihcrp6f2c", "3k2yihcrp6f2d"] {
      try await create(
        "app.bsky.graph.list", key, #""name":"Twice","purpose":"app.bsky.graph.defs#curatelist""#, alice)
    }
    let run = try await alice.kith("lists add Twice dave.test")
    #expect(try run.status == 65 && run.message("ambiguousListName")?["uris"]?.array?.count == 2)
    let page = "https://bsky.app/profile/alice.test/lists/3k2yihcrp6f2c"
    #expect(try await alice.kith("lists add \(page) dave.test").status == 0)
  }

  // MARK: Starter packs

  @Test func aStarterPackIsShownAndFollowed() async throws {
    let alice = try await SignedInRun()
    let did = try #require(Handle("alice.test").flatMap { alice.run.sandbox.network.account($0) }).did
    let list = "at://\(did)/app.bsky.graph.list/3k2yihcrp6f2l"
    let page = "https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c"
    try await create(
      "app.bsky.graph.list", "3k2yihcrp6f2l",
      #""name":"Pack","purpose":"app.bsky.graph.defs#referencelist""#, alice)
    try await create(
      "app.bsky.graph.starterpack", "3k2yihcrp6f2c", #""name":"Birds","list":"\#(list)""#, alice)
    let names = alice.run.sandbox.network.accounts.dropFirst(14).map(\.did.description)
    #expect(try await alice.kith("lists add \(list) -", input: names.joined(separator: "\n")).status == 0)
    let packs = try await alice.kith("starter-packs --of alice.test --format csv")
    #expect(packs.output.contains("Birds") && packs.output.contains(list))
    let shown = try await alice.kith("starter-packs show \(page)")
    #expect(try shown.status == 0 && shown.rows(Member.self).count > 150, "\(shown.talk)")
    let unasked = try await alice.kith("starter-packs follow \(page)")
    #expect(try unasked.status == 64 && unasked.codes == ["needsConfirmation"])
    let before = try alice.follows().count
    #expect(try await alice.kith("starter-packs follow \(page) --yes").status == 0)
    #expect(try alice.follows().count > before)
    #expect(try await alice.kith("starter-packs show \(page)x").status == 67)
    #expect(try await alice.kith("starter-packs show \(list)").status == 65)
  }

  /// The record of a pack may refer to any list of any account.
  @Test func onlyTheReferenceListOfAPackIsFollowed() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("lists create Readers --purpose curate dave.test").status == 0)
    let readers = try #require(try await alice.kith("lists").rows(List.self).first { $0.name == "Readers" })
    try await create(
      "app.bsky.graph.starterpack", "3k2yihcrp6f2c", #""name":"Birds","list":"\#(readers.uri)""#, alice)
    for options in ["", "--yes", "--dry-run"] {
      let run = try await alice.kith("starter-packs follow alice.test/3k2yihcrp6f2c \(options)")
      #expect(run.status == 76)
      #expect(try run.message("foreignPackList")?.text("list") == readers.uri)
    }
  }

  // MARK: Files, interruptions and other runs

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
}
