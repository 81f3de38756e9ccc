// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What is read as a request, an answer and a policy, and what is not.
@Suite struct FriendRecordTests {
  private let alice = Accounts.did(1)
  private let bob = Accounts.did(2)

  private func request(
    _ change: (inout DataObject) -> Void = { _ in }, at key: String? = nil
  ) throws -> FriendRequest? {
    let draft = FriendRequestDraft(expiresAt: try Datetime(parsing: "2026-12-01T00:00:00Z"))
    var fields = try #require(
      draft.record(to: bob, at: try Datetime(parsing: "2026-11-01T00:00:00Z")).object)
    change(&fields)
    let rkey = try RecordKey(parsing: key ?? bob.description)
    return FriendRequest(.object(fields), of: alice, at: rkey)
  }

  @Test("a request is read with its version")
  func readsRequest() throws {
    let request = try #require(try request())
    #expect(request.kind == .friend)
    #expect(request.uri.description == "at://\(alice)/\(FriendRequest.collection)/\(bob)")
    #expect(request.cid.description.hasPrefix("bafyrei"))
  }

  @Test("every change of a request is another version, an unknown field, too")
  func versions() throws {
    let first = try request()
    #expect(try request { $0["note"] = "hello" }?.cid != first?.cid)
    #expect(try request { $0["createdAt"] = "2026-11-01T00:00:01Z" }?.cid != first?.cid)
    #expect(try request()?.cid == first?.cid)
  }

  @Test(
    "what is not exactly a request is none",
    arguments: [
      ("kind", "enemy"), ("kind", nil), ("subject", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"),
      ("subject", "absent"),
      ("createdAt", "yesterday"), ("createdAt", nil), ("expiresAt", "never"),
      ("$type", "app.bsky.graph.follow"),
      ("$type", nil),
    ] as [(String, String?)])
  func refusesRequests(field: String, value: String?) throws {
    #expect(try request { $0[field] = value.map { .string($0) } } == nil)
  }

  @Test("a request under another key, or to oneself, is none")
  func refusesKeys() throws {
    #expect(try request(at: "3kaaaaaaaaaa2") == nil)
    #expect(try request({ $0["subject"] = .string(alice.description) }, at: alice.description) == nil)
  }

  @Test("a DID with a port is not a record key")
  func portInDID() throws {
    #expect(FriendRequest.key(to: try DID(parsing: "did:web:localhost%3A8080")) == nil)
    #expect(FriendRequest.key(to: try DID(parsing: "did:web:example.com")) != nil)
  }

  @Test("an answer counts for the version that it names, under the key that follows from it")
  func answers() throws {
    let request = try #require(try request())
    let key = try #require(FriendAnswer.key(accepting: request.version))
    let value = FriendAnswer.record(accepting: request.version, at: request.createdAt)
    let answer = try #require(FriendAnswer(value, of: bob, at: key))
    #expect(answer.accepts(request))
    #expect(answer.requester == alice)
    #expect(FriendAnswer(value, of: alice, at: key)?.accepts(request) == false)
    #expect(FriendAnswer(value, of: bob, at: try RecordKey(parsing: "self")) == nil)
    let edited = try #require(try self.request { $0["kind"] = "follow" })
    #expect(!answer.accepts(edited))
    #expect(FriendAnswer.key(accepting: edited.version) != key)
  }

  @Test("an answer after the end of a request does not count, and one before it stays")
  func expiry() throws {
    let request = try #require(try request())
    let key = try #require(FriendAnswer.key(accepting: request.version))
    func answer(on day: String) throws -> FriendAnswer? {
      FriendAnswer(
        FriendAnswer.record(accepting: request.version, at: try Datetime(parsing: day)), of: bob, at: key)
    }
    #expect(try answer(on: "2026-11-30T00:00:00Z")?.accepts(request) == true)
    #expect(try answer(on: "2026-12-02T00:00:00Z")?.accepts(request) == false)
    let later = try Datetime(parsing: "2027-06-01T00:00:00Z").instant
    let accepted = Friendship.RequestState(
      of: .found(request), try answer(on: "2026-11-30T00:00:00Z").map(Lookup.found) ?? .none, at: later)
    #expect(Friendship(asked: accepted, askedBy: .none, isBlocked: false).isFriend == true)
    #expect(Friendship.RequestState(of: .found(request), .none, at: later) == .expired(request))
  }

  @Test("what is unknown is not a no, except where a block decides")
  func unknown() throws {
    let request = try #require(try request())
    let open = Friendship(asked: .open(request), askedBy: .unknown, isBlocked: false)
    #expect(open.isFriend == nil)
    #expect(open.isRequested == true)
    #expect(open.isRequestedBy == nil)
    let blocked = Friendship(asked: .open(request), askedBy: .unknown, isBlocked: true)
    #expect(blocked.isFriend == false)
    #expect(blocked.isRequested == false)
    #expect(Friendship(asked: .open(request), askedBy: .none, isBlocked: nil).isRequested == nil)
  }

  @Test("a policy keeps the fields that Kith does not know, and one that it cannot read is none")
  func policy() throws {
    let now = try Datetime(parsing: "2026-11-01T00:00:00Z")
    let former: DataValue = [
      "$type": .string(FriendPolicy.collection.description), "createdAt": "2026-01-01T00:00:00Z", "other": 1,
    ]
    let policy = FriendPolicy(whoMayAsk: .mutuals, requiresApproval: true, requestLifetime: .seconds(7_200))
    let value = policy.record(replacing: former, at: now)
    #expect(value["other"] == 1)
    #expect(value["createdAt"] == "2026-01-01T00:00:00Z")
    #expect(FriendPolicy(value) == policy)
    #expect(FriendPolicy(["createdAt": "2026-01-01T00:00:00Z"]) == nil)
    var fields = try #require(value.object)
    fields["whoMayAsk"] = "neighbours"
    #expect(FriendPolicy(.object(fields))?.whoMayAsk == .unknown("neighbours"))
    fields["requestLifetime"] = 1
    #expect(FriendPolicy(.object(fields)) == nil)
  }
}
