// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What apps store, and what they see of it in logs.
@Suite struct CodingTests {
  private let alice = Accounts.did(1)
  private let bob = Accounts.did(2)

  private func uri(_ collection: NSID, of repository: DID) throws -> ATURI {
    ATURI(
      authority: .did(repository), collection: collection, recordKey: try RecordKey(parsing: "3l3qo2vutsw2b"))
  }

  private func fields(_ value: some Encodable) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any])
  }

  private func decoded<Value: Decodable>(_ fields: [String: Any]) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONSerialization.data(withJSONObject: fields))
  }

  private func info(_ source: RelationshipInfo.Source) throws -> RelationshipInfo {
    RelationshipInfo(
      actor: alice, target: bob, following: try uri(.follow, of: alice),
      followedBy: try uri(.follow, of: bob), blocking: try uri(.block, of: alice),
      blockedBy: try uri(.block, of: bob), blockingByList: try uri(.list, of: alice),
      blockedByList: try uri(.list, of: bob), muted: true,
      checkedAt: try Datetime(parsing: "2026-11-29T12:00:00.000Z"), source: source)
  }

  @Test func keepsARelationshipWithASourceOfANewerProgram() throws {
    let info = try info(RelationshipInfo.Source(rawValue: "aFuture"))
    let fields = try fields(info)
    #expect(fields["checkedAt"] as? String == "2026-11-29T12:00:00.000Z")
    #expect(fields["source"] as? String == "aFuture" && fields.count == 11)
    #expect(try decoded(fields) == info)
    #expect(try decoded(fields.merging(["aFuture": 1]) { $1 }) == info)
  }

  @Test func keepsARelationshipWithoutFacts() throws {
    let fault = RelationshipError.clientNotConfigured
    let empty = RelationshipInfo(
      actor: alice, target: bob, mutesFault: fault, checkedAt: Datetime(at: .epoch), source: .appview)
    let fields = try fields(empty)
    #expect(Set(fields.keys) == ["actor", "target", "checkedAt", "source"])
    let read: RelationshipInfo = try decoded(fields)
    #expect(read.isEmpty && read.muted == nil && read.mutesFault == nil && read.hasSameFacts(as: empty))
  }

  @Test(arguments: ["actor", "target", "following", "blockedByList", "muted", "checkedAt", "source"])
  func namesTheFieldAtFault(field: String) throws {
    var fields = try fields(info(.cache))
    fields[field] = ["wrong"]
    let error = try #require(throws: DecodingError.self) { try decoded(fields) as RelationshipInfo }
    #expect("\(error)".contains(field))
  }

  @Test func printsARelationshipInOneLine() throws {
    #expect(
      "\(try info(.cache))"
        == "\(alice) → \(bob): following, followed by, blocking, blocked by, blocking by a list, "
        + "blocked by a list, muted (cache, 2026-11-29T12:00:00.000Z)")
    let empty = RelationshipInfo(
      actor: alice, target: bob, muted: false, checkedAt: Datetime(at: .epoch), source: .appview)
    #expect("\(empty)" == "\(alice) → \(bob): none (appview, \(Datetime(at: .epoch)))")
  }

  @Test func keepsAViewOfAnAccount() throws {
    let view = AccountView(
      alice, handle: Handle("alice.test"), displayName: "Alice", description: "hi",
      createdAt: Datetime(at: .epoch), counts: AccountView.Counts(followers: 1), status: .active,
      record: try uri(.follow, of: bob), since: Datetime(at: .epoch), sinceSource: .key
    )
    .with(AccountMarks(labels: [AccountMarks.Label("spam", by: bob)], hasAvatar: true))
    .with(ViewerRelationship(.mutual, muted: false, knownFollowers: 3))
    .with(Friendship.Summary(isFriend: true, isRequested: nil, isRequestedBy: false, fault: nil))
    #expect(try decoded(fields(view)) == view)
    #expect("\(view)" == "alice.test (\(alice)), active, since \(Datetime(at: .epoch))")
    #expect(try decoded(fields(AccountView(alice))) == AccountView(alice))
    #expect("\(AccountView(alice))" == "\(alice)")
  }

  @Test func keepsARequestOfTheSameAccountsOnly() throws {
    let rkey = try #require(FriendRequest.key(to: bob))
    let request = try #require(
      FriendRequest(
        FriendRequestDraft(.follow, expiresAt: Datetime(at: 9_000_000)).record(
          to: bob, at: Datetime(at: .epoch)), of: alice, at: rkey))
    let fields = try fields(request)
    #expect(try decoded(fields) == request)
    let error = #expect(throws: DecodingError.self) {
      try decoded(fields.merging(["subject": "\(alice)"]) { $1 }) as FriendRequest
    }
    #expect("\(try #require(error))".contains("uri"))
    let draft = FriendRequestDraft(.follow, expiresAt: Datetime(at: .epoch))
    #expect(try decoded(self.fields(draft)) == draft)
  }
}
