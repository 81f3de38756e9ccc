// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct StreamFilterTests {
  private static let alice = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
  private static let bob = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb"

  /// A follow of alice, a block of bob, a post of alice, and one event of each other kind of bob.
  private static var events: [(name: String, event: StreamEvent)] {
    func commit(_ collection: NSID, _ did: String) -> (DID?, StreamEvent.Kind) {
      let change = RecordChange(
        account: 0, collection: collection, key: .literalSelf, former: nil, written: nil, moment: 0)
      return (DID(did), .commit(change, rev: Identities.firstRevision, isResync: false))
    }
    let kinds: [(String, (DID?, StreamEvent.Kind))] = [
      ("follow", commit(App.Bsky.Graph.Follow.nsid, alice)),
      ("block", commit(App.Bsky.Graph.Block.nsid, bob)),
      ("post", commit(App.Bsky.Feed.Post.nsid, alice)), ("account", (DID(bob), .account(.deactivated))),
      (
        "identity",
        (Handle("bob.test").flatMap { handle in DID(bob).map { ($0, .identity(handle)) } }) ?? (
          nil, .account(.active)
        )
      ),
      ("sync", (DID(bob), .sync(rev: Identities.firstRevision))),
    ]
    return kinds.compactMap { name, event in
      event.0.map { (name, StreamEvent(seq: 1, moment: 0, did: $0, kind: event.1)) }
    }
  }

  private func wanted(_ filter: StreamFilter) -> String {
    Self.events.filter { filter.wants($0.event) }.map(\.name).joined(separator: " ")
  }

  @Test(
    arguments: [
      ("", "follow block post account identity sync"),
      ("collections=app.bsky.graph.follow", "follow account identity sync"),
      ("collections=app.bsky.graph.*", "follow block account identity sync"),
      ("collections=app.bsky.*&collections=app.bsky.feed.post", "follow block post account identity sync"),
      ("collections=app.bsky.graph.*&kinds=commit", "follow block"),
      ("kinds=account&kinds=sync", "account sync"),
      ("dids=\(alice)", "follow post"),
      ("dids=\(bob)&collections=app.bsky.graph.follow", "account identity sync"),
      ("dids=\(alice)&dids=\(bob)&kinds=commit&collections=app.bsky.feed.post", "post"),
      ("collection=app.bsky.graph.follow&maxMessageSizeBytes=x", "follow block post account identity sync"),
    ])
  func theNewerWireSelects(query: String, expected: String) throws {
    #expect(wanted(try StreamFilter(try QueryString.items(of: query))) == expected)
  }

  @Test(
    arguments: [
      ("", "follow block post account identity sync"),
      ("wantedCollections=app.bsky.graph.follow", "follow account identity sync"),
      ("wantedCollections=app.bsky.graph.*&wantedDids=\(alice)", "follow"),
      ("wantedCollections=not_an_nsid.*", "account identity sync"),
      ("collections=app.bsky.graph.follow&kinds=commit", "follow block post account identity sync"),
    ])
  func theOlderWireSelects(query: String, expected: String) throws {
    #expect(wanted(try StreamFilter(older: try QueryString.items(of: query))) == expected)
  }

  private static func many(_ name: String, _ count: Int, _ value: (Int) -> String) -> String {
    (0..<count).map { "\(name)=\(value($0))" }.joined(separator: "&")
  }

  @Test(
    arguments: [
      ("wantedDids=\(alice)", "wantedDids"), ("wantedCollections=a.b.c", "wantedCollections"),
      ("requireHello=true", "requireHello"), ("kinds=commits", "unknown kind"),
      ("kinds=commit&kinds=commit&kinds=commit&kinds=commit&kinds=commit", "too many kinds"),
      ("kinds=account&collections=app.bsky.graph.follow", "never apply"),
      ("collections=follow", "invalid collection"), ("collections=not_an_nsid.*", "wildcard"),
      ("collections=*", "invalid collection"), ("collections=app.*", "wildcard"),
      ("dids=alice", "invalid did"),
      (many("collections", 101) { _ in "app.bsky.graph.follow" }, "too many collections"),
      (many("dids", 10_001) { "did:web:n\($0).test" }, "too many dids"),
    ])
  func theNewerWireRefuses(query: String, words: String) throws {
    let query = try QueryString.items(of: query)
    let fault = #expect(throws: StreamFilter.Fault.self) { try StreamFilter(query) }
    #expect(fault?.words.contains(words) == true)
  }

  @Test(
    arguments: [
      ("wantedCollections=follow", "invalid collection"), ("wantedDids=alice", "invalid did"),
      (many("wantedCollections", 101) { "a.b.c\($0)" }, "too many wanted collections"),
      (many("wantedDids", 10_001) { "did:web:n\($0).test" }, "too many wanted DIDs"),
    ])
  func theOlderWireRefuses(query: String, words: String) throws {
    let query = try QueryString.items(of: query)
    let fault = #expect(throws: StreamFilter.Fault.self) { try StreamFilter(older: query) }
    #expect(fault?.words.contains(words) == true)
  }

  @Test func namesThatAreThereTwiceCountOnceOnTheOlderWire() throws {
    let query = try QueryString.items(
      of: Self.many("wantedCollections", 101) { _ in "app.bsky.graph.follow" })
    #expect(wanted(try StreamFilter(older: query)) == "follow account identity sync")
  }

  @Test func longFramesAreLeftOut() throws {
    let filter = try StreamFilter([XRPCQueryItem("maxMessageSizeBytes", "4")])
    #expect(filter.admits("1234") && !filter.admits("12345") && !filter.admits("ääa"))
  }
}
