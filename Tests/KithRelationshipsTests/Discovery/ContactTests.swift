// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What a contact is called elsewhere, and what speaks for an account being it.
@Suite struct ContactTests {
  @Test(
    arguments: [
      ("alice@mastodon.social", "alice", "mastodon.social"),
      ("@Alice@Mastodon.Social", "alice", "mastodon.social"),
      ("https://mastodon.social/@alice", "alice", "mastodon.social"),
      (" https://mastodon.social/@alice/ ", "alice", "mastodon.social"), ("@alice_b", "alice_b", nil),
      ("https://x.com/alice?s=20", "alice", nil), ("https://twitter.com/alice", "alice", nil),
      ("https://mastodon.social/users/alice", "alice", "mastodon.social"),
      ("https://mastodon.social/@alice@other.test", "alice", "other.test"),
    ] as [(String, String, String?)])
  func addressesAreRead(text: String, name: String, host: String?) throws {
    let contact = try #require(Contact(text))
    #expect(contact.name == name && contact.host == host)
  }

  @Test(arguments: [
    "", "@", "12345", "a b", "a@b@c.d", "alice@localhost", "https://mastodon.social", "al\u{1B}[31mice",
    "https://", "é@mastodon.social", "https://twitter.com/intent/user?user_id=1",
    "https://twitter.com/i/user/123",
    "https://x.com/home", "https://x.com/alice/status/1", "https://mastodon.social/about",
    "https://mastodon.social/@alice/media", "https://www.instagram.com/_u/bob", "https://x.com/users/alice",
    "https://bsky.app/profile/alice", "alice@bsky.brid.gy", "https://a.test/@a@b@c.test",
    String(repeating: "a", count: 65),
  ])
  func whatNamesNobodyIsNoContact(_ text: String) { #expect(Contact(text) == nil) }

  /// People on Mastodon follow accounts of Bluesky by a bridge, and lists of friends have them as they are.
  @Test(arguments: [
    "bob.test@bsky.brid.gy", "@Bob.test@bsky.brid.gy", "bob.test", "@bob.test",
    "https://bsky.app/profile/bob.test",
    "https://bsky.app/profile/@bob.test", "https://other.app/profile/bob.test/", "\(Accounts.did(1))",
    "https://bsky.app/profile/\(Accounts.did(1))",
  ])
  func anAccountOfBlueskyIsItself(_ text: String) throws {
    let contact = try #require(Contact(text, displayName: "Another person"))
    let found = contact.signals(of: try view("bob.test"))
    #expect(found == [.account] && Contact.areEnough(found) && contact.bridgedHandle == nil)
    let other = AccountView(
      Accounts.did(2), handle: try Handle(parsing: "bobby.test"), displayName: "Another person")
    #expect(contact.signals(of: other).isEmpty)
  }

  private func view(_ handle: String, _ name: String? = nil, _ bio: String? = nil) throws -> AccountView {
    AccountView(Accounts.did(1), handle: try Handle(parsing: handle), displayName: name, description: bio)
  }

  @Test func signalsAreCounted() throws {
    let contact = try #require(Contact("alice_b@mastodon.social", displayName: "Álice B"))
    #expect(contact.bridgedHandle?.description == "alice-b.mastodon.social.ap.brid.gy")
    #expect(
      contact.signals(of: try view("alice-b.mastodon.social.ap.brid.gy", "alice b")) == [
        .bridge, .handle, .name,
      ])
    #expect(contact.signals(of: try view("aliceb.bsky.social")) == [.handle])
    #expect(
      contact.signals(of: try view("other.test", nil, "Elsewhere: @Alice_B@mastodon.social!")) == [.bio])
    #expect(contact.signals(of: try view("other.test", nil, "mastodon.social/@alice_b")) == [.bio])
    #expect(contact.signals(of: try view("alicebee.test", "Alice")).isEmpty)
  }

  /// An address that begins with another one is not that one.
  @Test(arguments: ["malice_b@mastodon.social", "alice_b@mastodon.socials", "x.com/alice_b"])
  func aLongerAddressIsAnotherOne(_ bio: String) throws {
    let contact = try #require(Contact("alice_b@mastodon.social"))
    #expect(contact.signals(of: try view("other.test", nil, bio)).isEmpty)
  }

  @Test func anEmptyNameIsNoSignal() throws {
    let contact = try #require(Contact("alice", displayName: "  "))
    #expect(contact.displayName == nil && contact.bridgedHandle == nil)
    #expect(contact.signals(of: try view("bob.test", "")).isEmpty)
    #expect(contact.signals(of: try view("handle.invalid", "alice", "x.com/alice")).isEmpty)
  }
}
