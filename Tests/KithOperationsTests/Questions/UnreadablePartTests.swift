// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// What servers show has parts that are optional: one that cannot be read hides nothing else.
@Suite struct UnreadablePartTests {
  private static let network = FaultyNetwork(.reference, accounts: 400)

  /// Fields that no reader needs, of profiles, lists, posts, notifications, starter packs and records.
  static let optional: Set<String> = [
    "displayName", "description", "avatar", "banner", "associated", "labels", "verification", "status",
    "pronouns",
    "website", "followersCount", "followsCount", "postsCount", "joinedViaStarterPack", "pinnedPost",
    "listItemCount",
    "descriptionFacets", "likeCount", "replyCount", "repostCount", "quoteCount", "bookmarkCount",
    "threadgate",
    "langs", "facets", "tags", "reasonSubject", "knownFollowers", "activitySubscription", "feedContext",
    "feeds",
    "joinedWeekCount", "joinedAllTimeCount", "listItemsSample", "via", "allowList",
  ]

  /// What stands there instead.
  enum Oddity: String, CaseIterable {
    case null, fraction, half, link, list, wrongBlob

    var json: Any {
      switch self {
      case .null: NSNull()
      case .fraction: 1.5
      case .half: RewritingNetwork.half
      case .link: ["$link": "no link"]
      case .list: [1.5, ["a": "b"]] as [Any]
      case .wrongBlob:
        ["$type": "blob", "ref": ["$link": "bad"], "mimeType": "image/png", "size": 5] as [String: Any]
      }
    }
  }

  private func rewriting(_ oddity: Oddity) -> RewritingNetwork {
    RewritingNetwork(network: Self.network) { request, answer in
      // Where a server speaks of an account's status, it decides.
      if request.method.hasSuffix("getRepoStatus") { return }
      let edited = RewritingNetwork.everywhere(in: answer) { fields in
        for name in Self.optional where fields[name] != nil { fields[name] = oddity.json }
        // What another app has added.
        if fields["$type"] is String { fields["com.example.extra"] = oddity.json }
      }
      answer = edited as? RewritingNetwork.Fields ?? answer
    }
  }

  /// Compares the rows of an operation with those of the same one over answers with each kind of odd parts.
  private func compare<Operation: KithOperation>(
    _ operation: Operation, by user: ServedUser, _ outcome: (Operation.Outcome) -> RowsOutcome,
    _ key: (Operation.Row) -> String
  ) async throws {
    let usual = try await user.run(operation)
    #expect(!usual.rows.isEmpty && outcome(usual.outcome).interruption == nil, "\(Operation.self)")
    for oddity in Oddity.allCases {
      let odd = try await user.run(operation, over: rewriting(oddity))
      #expect(odd.rows.map(key) == usual.rows.map(key), "\(Operation.self) \(oddity)")
      #expect(outcome(odd.outcome).interruption == nil, "\(Operation.self) \(oddity)")
    }
  }

  @Test func accountsAndListsAreShown() async throws {
    let alice = try await ServedUser(on: Self.network)
    let (me, bob) = (try alice.actor("alice"), try alice.actor("bob"))
    let list = try Self.network.list("Book people", of: "grace")
    for listing in [
      ActorListing.followers(of: bob), .follows(of: bob), .blocks(of: me), .members(of: list),
    ] {
      try await compare(
        ListAccounts(ListingQuery(listing), details: [.names, .relationship]), by: alice, \.rows
      ) {
        "\($0.view.account) \($0.view.handle?.description ?? "") \($0.view.relationship?.word.rawValue ?? "")"
      }
    }
    try await compare(ShowLists(of: try alice.actor("grace")), by: alice, { $0 }) {
      "\($0.uri) \($0.name ?? "") \($0.purpose?.name ?? "")"
    }
    try await compare(ShowStarterPacks(of: try alice.actor("grace")), by: alice, { $0 }) {
      "\($0.pack.uri)"
    }
    try await compare(FindPeople(.search("b"), limit: 10), by: alice, \.rows) { "\($0.view.account)" }
    try await compare(ShowProfile(bob), by: alice, \.rows) { "\($0.view.account)" }
  }

  @Test func postsAndNotificationsAreShown() async throws {
    let alice = try await ServedUser(on: Self.network)
    for selection in [ReadFeed.Selection.following, .author(try alice.actor("bob"))] {
      try await compare(ReadFeed(selection, limit: 25), by: alice, \.rows) { "\($0.uri)" }
    }
    try await compare(ReadThread(try Self.network.post(of: "bob")), by: alice, \.rows) { "\($0.uri)" }
    try await compare(ReadNotifications(limit: 25), by: alice, \.rows) {
      "\($0.notification.uri) \($0.notification.kind.rawValue)"
    }
  }

  @Test func checksAndAuditsAreMade() async throws {
    let alice = try await ServedUser(on: Self.network)
    var check = CheckRelationships(
      of: try alice.actor("alice"),
      targets: TargetStream(origins: [.argument("bob.test"), .argument("dave.test")]))
    check.listings = [ListingQuery(.follows(of: try alice.actor("bob")))]
    try await compare(check, by: alice, \.rows) {
      "\($0.answer.target?.description ?? "") \($0.answer.info != nil)"
    }
    let audit = AuditAccount([
      .duplicate, .selfEdge, .blocker, .blocked, .deleted, .suspended, .deadListBlock,
    ])
    try await compare(audit, by: alice, \.rows) { "\($0.subject) \($0.finding.kind)" }
  }

  /// Signing in needs no more than a token and an account.
  @Test(arguments: Oddity.allCases) func sessionsAreMadeAndRefreshed(_ oddity: Oddity) async throws {
    let odd = RewritingNetwork(network: Self.network) { request, answer in
      guard request.method.contains("Session") else { return }
      for name in ["email", "didDoc", "status"] { answer[name] = oddity.json }
    }
    let user = try await ServedUser(nil, on: Self.network)
    let workspace = user.workspace(over: odd)
    try await workspace.sessions().signIn(
      .handle(try Handle(parsing: "bob.test")), password: try #require(Password("pw-bob")),
      at: try ServiceURL(parsing: FaultyNetwork.pds))
    #expect(try await workspace.account().did == user.did("bob"))
  }
}
