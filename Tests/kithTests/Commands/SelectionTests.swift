// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import kith

/// One phrase, one set: a change plans the accounts that the listing of the same name and predicate shows.
@Suite struct SelectionTests {
  private static let listings = [
    "following", "followers", "mutuals", "not-following-back", "not-followed-back", "blocks", "mutes",
  ]

  private static let predicates = [
    "followed before 2024-02-01", "followed since 2024-02-01", "not followed-by", "mutual or blocked",
    "none", "handle contains 1 and followed within 400d", "followers > 10",
  ]

  /// A user whose records and keys disagree about dates, with an account that the AppView has not indexed.
  private func disagreeing() async throws -> InProcessUser {
    let user = try InProcessUser(accounts: 300, unindexed: [try Handle(parsing: "bob.test")])
    user.network.begin(.none)
    let login = try await user.kith(["login", "alice.test"])
    #expect(login.status == .success, "\(login.talk)")
    func follow(_ name: String, _ date: String) throws -> DataValue {
      [
        "$type": "app.bsky.graph.follow", "subject": .string("\(try user.did(name))"),
        "createdAt": .string(date),
      ]
    }
    let records: [RecordKey: DataValue?] = [
      // A record of 2020 with a key of 2026, one of 2026 with a key of 2023, and one without a sound date.
      try RecordKey(parsing: "3mabcdefghi22"): try follow("niaj", "2020-01-01T00:00:00.000Z"),
      try RecordKey(parsing: "3jzfcijpj2z2a"): try follow("judy", "2026-11-01T00:00:00.000Z"),
      try RecordKey(parsing: "3jzfcijpj2z2b"): try follow("trent", "yesterday"),
    ]
    let me = try user.did("alice")
    #expect(user.network.live.setRecords(records, in: try NSID(parsing: "app.bsky.graph.follow"), of: me))
    return user
  }

  @Test(arguments: listings) func aChangePlansWhatTheListingShows(listing: String) async throws {
    let user = try await disagreeing()
    var found = 0
    for predicate in Self.predicates {
      let shown = try await user.kith([listing, "--where", predicate])
      let planned = try await user.kith([
        "mute", "--\(listing)", "--where", predicate, "--yes", "--dry-run",
      ])
      #expect(
        shown.status == .success && planned.status == .success,
        "\(predicate): \(shown.talk) \(planned.talk)")
      let dids = shown.rows.compactMap { $0["did"] }
      let subjects = planned.rows.compactMap { $0["subject"] }
      #expect(dids.count == shown.rows.count && subjects.count == planned.rows.count)
      #expect(Set(dids) == Set(subjects), "\(listing) where \(predicate)")
      found += dids.count
    }
    // A comparison of nothing proves nothing; the sandbox has no mutes.
    #expect(found > 0 || listing == "mutes")
  }
}
