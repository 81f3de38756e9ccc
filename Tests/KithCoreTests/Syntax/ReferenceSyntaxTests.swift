// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

/// Compares the byte scanners with the regular expressions that the specifications give.
@Suite struct ReferenceSyntaxTests {
  private static let label = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
  private static let letterLabel = "[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"

  private func expectAgreement<Identifier: SyntaxIdentifier>(
    _ type: Identifier.Type, _ pattern: String, seeds: [String], most: Int = .max,
    except: Set<String> = [], alphabet: String = "aZ059.-_:%~/# @é\n"
  ) throws {
    let reference = try Regex(pattern).matchingSemantics(.unicodeScalar)
    var valid = 0
    let count = 4_000
    for text in Mutations(of: seeds, alphabet: alphabet, count: count) {
      let isValid =
        try text.utf8.count <= most && !except.contains(text) && reference.wholeMatch(in: text) != nil
      valid += isValid ? 1 : 0
      #expect((Identifier(text) != nil) == isValid, "\(text.debugDescription)")
    }
    #expect(count / 20...(count - count / 20) ~= valid, "too few of a kind: \(valid) are valid")
  }

  @Test func readsDIDs() throws {
    try expectAgreement(
      DID.self, "did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]",
      seeds: ["did:plc:7iza6de2dwap2sbkpav7c6c6", "did:web:localhost%3A1234", "did:m:v"], most: 2_048)
  }

  @Test func readsHandles() throws {
    try expectAgreement(
      Handle.self, "(\(Self.label)\\.)+\(Self.letterLabel)",
      seeds: [
        "alice.test", "a.co", "jay.bsky.social", "xn--ls8h.test",
        String(repeating: "a", count: 62) + ".b-c.d9",
      ],
      most: 253)
  }

  @Test func readsNSIDs() throws {
    try expectAgreement(
      NSID.self, "\(Self.letterLabel)(\\.\(Self.label))+(\\.[a-zA-Z]([a-zA-Z0-9]{0,62})?)",
      seeds: ["app.bsky.graph.follow", "a.b.c", "com.ex-ample." + String(repeating: "a", count: 62)],
      most: 317)
  }

  @Test func readsRecordKeys() throws {
    try expectAgreement(
      RecordKey.self, "[A-Za-z0-9._:~-]{1,512}", seeds: ["self", "3jzfcijpj2z2a", ".", "...", "lang:en"],
      except: [".", ".."])
  }

  @Test func readsTIDs() throws {
    try expectAgreement(
      TID.self, "[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}",
      seeds: ["3jzfcijpj2z2a", "jzzzzzzzzzzzz", "2222222222222"], alphabet: "2a7jz18k-A")
  }

  /// A parsed text keeps its spelling, and its parts are substrings at their positions.
  @Test func takesATURIsApartAsTheyWereWritten() {
    let seeds = [
      "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.graph.follow/3jzfcijpj2z2a",
      "at://alice.test/a.b.c/self",
      "at://did:web:a.test", "at://alice.test/a.b.c",
    ]
    var valid = 0
    for text in Mutations(of: seeds, alphabet: "aZ05.-_:%~/# @é\n", count: 4_000) {
      guard let uri = ATURI(text) else { continue }
      valid += 1
      let parts = text.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      #expect(uri.description == text)
      #expect(uri.authority == ATIdentifier(parts[0]))
      #expect(uri.collection == (parts.count > 1 ? NSID(parts[1]) : nil))
      #expect(uri.recordKey == (parts.count > 2 ? RecordKey(parts[2]) : nil))
      #expect(parts.count <= 3)
    }
    #expect(200...3_800 ~= valid)
  }

  /// Faults are inside the text, and a parsed text keeps its spelling.
  @Test func survivesAlmostRightTexts() {
    let alphabet = "aZ059.-_:+=~/# @é\n"
    for text in Mutations(
      of: ["1985-04-12T23:20:50.123Z", "2024-02-29T00:00:00-07:00"], alphabet: alphabet, count: 2_000)
    {
      expectEither(Datetime.self, text)
    }
    for text in Mutations(of: ["de-CH-1901", "en-a-foo-x-bar", "i-navajo"], alphabet: alphabet, count: 2_000)
    {
      expectEither(LanguageTag.self, text)
    }
    for text in Mutations(of: ["https://a.test/?q=1#f", "dns:a"], alphabet: alphabet, count: 2_000) {
      expectEither(URI.self, text)
    }
    let cids = ["bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a", "bafkqaaa", "zdj7WWeQ43G6JJ"]
    for text in Mutations(of: cids, alphabet: alphabet, count: 2_000) { expectEither(CID.self, text) }
  }

  private func expectEither<Identifier: SyntaxIdentifier>(_ type: Identifier.Type, _ text: String) {
    do {
      #expect(try Identifier(parsing: text).description == text)
    } catch {
      #expect(0...text.utf8.count ~= error.offset, "\(error)")
    }
  }
}
