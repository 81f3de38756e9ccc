// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

/// One phrase, one set: a change plans the accounts that the listing of the same name and predicate shows.
@Suite struct SelectionCommandTests {
  private struct Listed: Decodable { let did: String }

  /// A sandbox whose records and keys disagree about dates, with an account that the AppView has not indexed.
  private func disagreeing() async throws -> SignedInRun {
    let alice = try await SignedInRun(
      at: try await SandboxRun(
        accounts: 300, writing: SandboxWriting(unindexed: [try Handle(parsing: "bob.test")])))
    let sandbox = alice.run.sandbox
    let me = try #require(sandbox.network.account(try Handle(parsing: "alice.test"))).did
    func follow(_ name: String, _ date: String) throws -> DataValue {
      let subject = try #require(sandbox.network.account(try Handle(parsing: name))).did
      return [
        "$type": "app.bsky.graph.follow", "subject": .string("\(subject)"), "createdAt": .string(date),
      ]
    }
    let records: [RecordKey: DataValue?] = [
      // A record of 2020 with a key of 2026, one of 2026 with a key of 2023, and one without a sound date.
      try RecordKey(parsing: "3mabcdefghi22"): try follow("niaj.test", "2020-01-01T00:00:00.000Z"),
      try RecordKey(parsing: "3jzfcijpj2z2a"): try follow("judy.test", "2026-11-01T00:00:00.000Z"),
      try RecordKey(parsing: "3jzfcijpj2z2b"): try follow("trent.test", "yesterday"),
    ]
    #expect(sandbox.setRecords(records, in: try NSID(parsing: "app.bsky.graph.follow"), of: me))
    return alice
  }

  /// `SelectionTests` has all listings.
  @Test func aChangePlansWhatTheListingShows() async throws {
    let alice = try await disagreeing()
    let filter = ["--where", "followed before 2024-02-01"]
    let shown = try await alice.kith(["following"] + filter).rows(Listed.self).map(\.did)
    let planned = try await alice.kith(["unfollow", "--following", "--yes", "--dry-run"] + filter)
    #expect(Set(shown) == Set(try planned.changes().compactMap(\.subject)) && !shown.isEmpty)
    // Named accounts are filtered by the same dates.
    let named = try await alice.kith(
      [
        "unfollow", "niaj.test", "judy.test", "trent.test", "--where", "followed before 2021-01-01", "--yes",
        "--dry-run",
      ]
    ).changes()
    #expect(named.map(\.input) == ["niaj.test"])
  }

  /// An account that the AppView does not show is neither "not following back" nor "no such account".
  @Test func anAccountThatIsNotShownIsReported() async throws {
    let alice = try await disagreeing()
    let bob = try #require(alice.run.sandbox.network.account(try Handle(parsing: "bob.test"))).did
    let planned = try await alice.kith("unfollow --not-following-back --yes --dry-run")
    #expect(planned.status == 0)
    #expect(try planned.message("listingCoverage")?.number("notShown") ?? 0 >= 1)
    let question = try await alice.kith("check me \(bob) --is followed-by")
    #expect(question.status == 69)
    #expect(try question.message("notShown") != nil)
    let check = try await alice.kith("check me \(bob)")
    #expect(check.status == 0, "\(check.talk)")
    #expect(try check.message("hiddenTargets")?.number("count") == 1)
    #expect(try await alice.kith("block did:plc:aaaaaaaaaaaaaaaaaaaaaaaz --dry-run").status == 67)
  }
}
