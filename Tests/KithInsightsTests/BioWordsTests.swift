// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithInsights

/// The words with which followers describe themselves.
@Suite struct BioWordsTests {
  @Test(arguments: [
    ("Bird-watcher, Berlin.", ["bird", "watcher", "berlin"]),
    ("I like the #birds and THE Birds", ["birds"]),
    ("mail me@example.com or https://example.com/birds, see example.com/cats @alice.test", ["mail"]),
    ("l'hiver à Montréal", ["hiver", "montréal"]),
    ("猫と音楽が好きなプログラマーです", ["音楽", "プログラマー"]),
    ("cafe\u{301} CAFÉ", ["café"]),
    ("🏳️‍🌈 they/them 2024 a b cd \u{202E}\u{1B}[31mred", ["mred"]),
    (String(repeating: "a", count: 400), []),
    ("", []),
  ])
  func aWordIsARunOfLetters(text: String, words: [String]) {
    #expect(BioWords.words(in: text) == Set(words))
  }

  @Test func eachAccountCountsOnceAndRareWordsAreLeftOut() {
    let words = BioWords(of: ["birds birds birds", "Birds", "BIRDS and cats", "cats", "", " \n"])
    #expect(words.accounts == 4)
    #expect(words.entries.map(\.word) == ["birds"])
    #expect(words.entries.first?.count == 3 && words.entries.first?.share.value == 0.75)
  }

  @Test func onlySoManyAreKeptTheMostUsedFirst() {
    let words = BioWords(of: Array(repeating: "owls cats birds", count: 3) + ["owls", "owls"], most: 2)
    #expect(words.entries.map(\.word) == ["owls", "birds"])
  }

  @Test func aHostileDescriptionIsBounded() {
    let long = (0..<100_000).map { "w\($0)" }.joined(separator: " ")
    #expect(
      BioWords(of: Array(repeating: String(repeating: "word ", count: 100_000), count: 3)).accounts == 3)
    #expect(BioWords(of: [long, long, long], most: .max).entries.count < 300)
  }

  @Test func wordsOfLittleMeaningAreInLowerCase() {
    #expect(StopWords.all.allSatisfy { $0 == $0.lowercased() && $0.count >= 3 })
  }
}

/// Followers that stand out by themselves.
@Suite struct NotableFollowerTests {
  private func follower(
    _ name: String, _ followers: Int?, _ verification: NotableFollower.Reason? = nil
  ) -> NotableFollower? {
    DID("did:plc:\(name)").flatMap {
      NotableFollower(InsightAccount($0), followers: followers, verification: verification, following: 100)
    }
  }

  @Test func aFollowerIsNotableForAReason() {
    #expect(follower("a", 100) == nil && follower("a", nil) == nil)
    #expect(follower("a", 101)?.reasons == [.larger])
    #expect(follower("a", 5, .verified)?.reasons == [.verified])
    #expect(follower("a", 500, .trustedVerifier)?.reasons == [.trustedVerifier, .larger])
  }

  @Test func theMostFollowedComeFirstAndUnknownCountsLast() {
    let found = [
      follower("b", nil, .verified), follower("c", 300), follower("a", 900), follower("d", 9, .verified),
    ]
    .compactMap(\.self)
    #expect(NotableFollower.first(3, of: found).map { "\($0.account.did)".last } == ["a", "c", "d"])
  }
}
