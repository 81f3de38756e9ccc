// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@Suite struct ActorInputTests {
  private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

  @Test(arguments: [
    ("alice.test", "alice.test"), ("@alice.test", "alice.test"), ("ALICE.test", "alice.test"),
    (did, did), ("@\(did)", did), ("did:web:alice.test", "did:web:alice.test"),
    ("https://bsky.app/profile/alice.test", "alice.test"),
    ("bsky.app/profile/alice.test", "alice.test"), ("https://bsky.app/profile/@alice.test", "alice.test"),
    ("bsky.app/profile/%40alice.test/", "alice.test"),
    ("https://bsky.app/profile/\(did)", did),
    ("https://bsky.app/profile/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz", did),
    ("http://localhost:19006/profile/alice.test/", "alice.test"),
    ("https://deer.social/profile/alice.test/post/3k2a?ref=x#top", "alice.test"),
    ("https://bsky.app/profile/alice.test?x=/profile/mallory.test", "alice.test"),
    ("at://alice.test", "alice.test"), ("at://\(did)/app.bsky.feed.post/3k2a", did),
  ]) func parsesEveryWayToNameAnAccount(text: String, identifier: String) throws {
    #expect(try ActorInput(parsing: text).identifier.description == identifier)
  }

  @Test(arguments: [
    "  alice.test \n", "\talice.test\r\n", "\u{2068}alice.test\u{2069}", "\u{200e}@alice.test\u{200f}",
    "\u{feff}alice.test", "\u{202a}alice.test\u{202c}", "\u{a0}alice.test\u{200b}",
    "\u{2066}@alice.test\u{2069} ",
    "@\u{2068}alice.test\u{2069}",
  ]) func ignoresInvisibleCharacters(text: String) throws {
    #expect(try ActorInput(parsing: text).identifier.description == "alice.test")
  }

  @Test(arguments: [
    "", "   ", "\u{200b}", "@", "@@alice.test", "alice", "alice .test", "al\u{200b}ice.test", "alicе.test",
    "did:", "did:plc:", "did:plc", "DID:plc:x", "alice@example.com", "-alice.test", "alice..test",
    "https://bsky.app", "https://bsky.app/profile", "https://bsky.app/profile/",
    "https://bsky.app/about/alice.test",
    "https://alice.test", "https://", "at://", "at:///app.bsky.feed.post/3k2a",
    "ftp://bsky.app/profile/alice.test", "at://alice.test/no collection", "at://alice.test?x",
    "at://alice.test#x",
    "at://alice.test/app.bsky.graph.list/3k,did:plc:ewvi7nxzyoun6zhxrhs64oiz",
    "did:plc:ewvi7nxzyoun6zhxrhs64oi", "did:plc:ewvi7nxzyoun6zhxrhs64oiz2",
    "did:plc:ewvi7nxzyoun6zhxrhs64oi1",
    "did:key:zQ3shc6V2kvUxn7hNmPy9JMToKT7u2NH27SnKNxGL1GcBcS4j",
    "https://bsky.app/profile/al%20ice.test", "https://bsky.app/profile/alice%252Etest",
    "https://bsky.app/profile/%FFalice.test", "<>", "<", "<alice.test", "alice.test>", "#", "null", "1,2,3",
    "\u{1b}[31malice.test\u{1b}[0m",
  ]) func rejectsInvalidAccounts(text: String) {
    #expect(throws: InputError.self) { try ActorInput(parsing: text) }
  }

  @Test func reportsWhatIsWrongWithAText() {
    #expect {
      try ActorInput(parsing: "alice")
    } throws: { "\($0)".contains("\"alice\"") && "\($0)".contains("a handle has a dot") }
    #expect {
      try ActorInput(parsing: " ")
    } throws: { "\($0)".contains("empty") }
    #expect {
      try ActorInput(parsing: "https://bsky.app/search")
    } throws: { "\($0)".contains("not a profile URL") }
    #expect {
      try ActorInput(parsing: "did:plc:ewvi7nxzyoun6zhxrhs64oi")
    } throws: { "\($0)".contains("24 characters") }
    #expect {
      try ActorInput(parsing: "did:key:z6Mk")
    } throws: { "\($0)".contains("not did:key") }
  }

  /// What separates a name from the next in a text is not part of it.
  @Test(arguments: [
    "bob.test/", "bob.test,", "bob.test ;", "@bob.test,;", "bob.test/,", "<bob.test>", "< @bob.test >,",
    "<https://bsky.app/profile/bob.test>", "HTTPS://BSKY.APP/profile/bob.test,", "At://bob.test",
    "https://bsky.app/profile/bob%2Etest", "https://bsky.app/pro%66ile/%62ob.test",
  ])
  func ignoresWhatSeparatesNames(text: String) throws {
    #expect("\(try ActorInput(parsing: text).identifier)" == "bob.test")
  }

  @Test(arguments: [
    ("https://bob.test/", "bob.test"), ("http://bob.test", "bob.test"),
    ("ꩰ.test", "xn--8r9a.test"), ("Bücher.example", "xn--bcher-kva.example"),
    ("alicе.test", "xn--alic-y4d.test"), ("他们为什么不说中文.test", "xn--ihqwcrb4cv8a8dqg056pqjye.test"),
  ]) func namesTheHandleThatAnotherFormMayMean(text: String, handle: String) {
    #expect {
      try ActorInput(parsing: text)
    } throws: { ($0 as? InputError)?.reason.contains(handle) ?? false }
  }

  @Test func truncatesALongText() {
    for text in [
      String(repeating: "a", count: 1_000_000), "a" + String(repeating: "\u{301}", count: 1_000_000),
      "https://" + String(repeating: "/", count: 1_000_000), "a" + String(repeating: ",", count: 1_000_000),
    ] {
      #expect {
        try ActorInput(parsing: text)
      } throws: { "\($0)".utf8.count < 600 }
    }
  }

  @Test func reportsThePlaceOfAText() {
    let question = RelationshipQuestion(typed: "alice", at: "people.txt:7")
    guard case .unreadable(let error) = question.target else {
      Issue.record("\(question)")
      return
    }
    #expect(question.input == "alice")
    #expect("\(error)".hasPrefix("people.txt:7: "))
  }

  @Test func keepsTheTextOfAQuestion() {
    #expect(RelationshipQuestion(typed: " @user1.test ").input == " @user1.test ")
    #expect(RelationshipQuestion(typed: " @user1.test ").target == .handle(Accounts.handle(1)))
    #expect(RelationshipQuestion(typed: "\(Accounts.did(1))").target == .did(Accounts.did(1)))
    #expect(RelationshipQuestion(ATIdentifier.handle(Accounts.handle(1))).input == "user1.test")
    #expect(RelationshipQuestion(ATIdentifier.did(Accounts.did(1))) == RelationshipQuestion(Accounts.did(1)))
  }
}
