// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithSystemResolver

@Suite struct DNSAnswerTests {
  private let name = "_atproto.alice.example.com"

  private func texts(_ records: [DNSMessage.Record]) -> [String]? {
    DNSAnswer(DNSMessage.answer(to: name, records))?.texts(of: name)
  }

  @Test func joinsTheStringsOfOneRecord() {
    #expect(texts([.text(name, "did=did:", "plc:", "abc")]) == ["did=did:plc:abc"])
  }

  @Test func keepsSeveralRecordsApart() {
    #expect(texts([.text(name, "did=a"), .text(name, "v=spf1"), .text(name)]) == ["did=a", "v=spf1", ""])
  }

  @Test func followsAliasesInAnyOrder() {
    let records: [DNSMessage.Record] = [
      .text("c.example.net", "did=c"), .alias("b.example.net", of: "C.example.net"),
      .alias(name, of: "b.example.net"),
    ]
    #expect(texts(records) == ["did=c"])
  }

  @Test func leavesOutRecordsOfOtherNames() {
    #expect(texts([.text("mallory.example", "did=m"), .text(name.uppercased(), "did=a")]) == ["did=a"])
  }

  @Test func endsAtAliasesInACircle() {
    #expect(texts([.alias(name, of: "b.example"), .alias("b.example", of: name)]) == [])
  }

  @Test func refusesAStringThatReachesBeyondItsRecord() {
    #expect(texts([DNSMessage.Record(owner: name, type: 16, data: [5, 1])]) == nil)
  }

  @Test func refusesANameThatPointsAtItself() {
    var bytes = DNSMessage.answer(to: name, [])
    bytes.replaceSubrange(12..., with: [0xc0, 12, 0, 16, 0, 1])
    #expect(DNSAnswer(bytes) == nil)
  }

  @Test func refusesEveryAnswerThatIsCutOff() {
    let whole = DNSMessage.answer(to: name, [.alias(name, of: "b.example"), .text("b.example", "did=b")])
    for length in 0..<whole.count { #expect(DNSAnswer(Array(whole.prefix(length))) == nil) }
  }

  @Test func neverCrashesWhateverTheBytesAre() {
    let whole = DNSMessage.answer(to: name, [.alias(name, of: "b.example"), .text("b.example", "did=b")])
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = DNSAnswer(bytes)?.texts(of: name)
    }
  }
}
