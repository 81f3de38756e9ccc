// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// One phrase, one set: a change plans the accounts that the listing of the same name and predicate shows.
@Suite struct SelectionTests {
  static let listings = [
    "following", "followers", "mutuals", "not-following-back", "not-followed-back", "blocks", "mutes",
  ]

  private static let terms = [
    "followed before 2024-02-01", "followed-by", "followed since 2024-02-01", "mutual", "handle contains 1",
    "blocked",
    "followed within 400d", "none", "followers > 10",
  ]

  /// Each term, its negation, and pairs of terms.
  static let predicates =
    terms + terms.map { "not \($0)" }
    + zip(terms, terms.dropFirst() + terms.prefix(1)).flatMap { ["\($0) and \($1)", "\($1) or not \($0)"] }

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
    // All of them in `SelectionLongTests`.
    let place = try #require(Self.listings.firstIndex(of: listing))
    try await expectSameAccounts(
      listing, Self.predicates.enumerated().filter { $0.offset % 8 == place % 8 }.map(\.element))
  }

  fileprivate func expectSameAccounts(_ listing: String, _ predicates: [String]) async throws {
    let user = try await disagreeing()
    var found = 0
    for predicate in predicates {
      let shown = try await user.kith([listing, "--where", predicate, "-v"])
      let change = ["mute", "--yes", "--dry-run", "-v"]
      let planned = try await user.kith(change + ["--\(listing)", "--where", predicate])
      #expect(
        shown.status == .success && planned.status == .success,
        "\(predicate): \(shown.talk) \(planned.talk)")
      let dids = shown.rows.compactMap { $0["did"] }
      let subjects = planned.rows.compactMap { $0["subject"] }
      #expect(dids.count == shown.rows.count && subjects.count == planned.rows.count)
      #expect(Set(dids) == Set(subjects), "\(listing) where \(predicate)")
      found += dids.count
      // At no more calls than those of the listing, and those of a plan for the same accounts.
      let names = dids.map { $0.trimmingCharacters(in: ["\""]) }
      let plan = names.isEmpty ? [:] : try await user.kith(change + names).calls
      for (method, count) in try planned.calls {
        #expect(
          try count <= shown.calls[method, default: 0] + plan[method, default: 0],
          "\(listing) where \(predicate): \(method)")
      }
    }
    // A comparison of nothing proves nothing; the sandbox has no mutes.
    #expect(found > 0 || listing == "mutes")
  }

  /// The date of a follow comes from its record where that was read, else from its key.
  @Test func aRowSaysWhereItsDateComesFrom() async throws {
    let user = try await disagreeing()
    func sources(_ line: [String]) async throws -> [String: String] {
      let rows = try await user.kith(line).rows
      return Dictionary(rows.map { ($0["did"] ?? "", $0["sinceSource"] ?? "") }) { first, _ in first }
    }
    let following = try await sources(["following"])
    #expect(following["\"\(try user.did("niaj"))\""] == #""record""#)
    #expect(following["\"\(try user.did("trent"))\""] == #""key""#)
    let followers = try await sources(["followers", "--where", "followed since 2020-01-01"])
    #expect(!followers.isEmpty && followers.values.allSatisfy { $0 == #""key""# })
    #expect(try await sources(["followers"]).values.allSatisfy { $0 == "null" })
  }
}

/// Every listing with every predicate.
@Suite struct SelectionLongTests {
  @Test(arguments: SelectionTests.listings) func aChangePlansWhatTheListingShows(listing: String) async throws
  {
    try await SelectionTests().expectSameAccounts(listing, SelectionTests.predicates)
  }
}

extension InProcessUser.Ending {
  private struct MethodCost: Decodable {
    let code: String, method: String?, calls: Int?
  }

  /// The calls of a run with `-v`, by method.
  fileprivate var calls: [String: Int] {
    get throws {
      let costs = try talk.split(separator: "\n").map {
        try JSONDecoder().decode(MethodCost.self, from: Data($0.utf8))
      }
      .filter { $0.code == "methodCost" }
      return Dictionary(costs.compactMap { cost in cost.method.map { ($0, cost.calls ?? 0) } }) { $0 + $1 }
    }
  }
}
