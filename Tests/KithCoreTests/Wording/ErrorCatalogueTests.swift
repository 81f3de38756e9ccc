// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KithCore

/// The sentences of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    for code in JSONFault.Code.allCases { catalogue.add("json.\(code)", JSONFault(code, at: 7, name: "did")) }
    try addDecoding(to: &catalogue)
    addSyntax(to: &catalogue)
    addValidation(to: &catalogue)
    addQuery(to: &catalogue)
    addFiles(to: &catalogue)
    for code in WebSocketError.Code.all {
      let error = WebSocketError(code, closeCode: .goingAway, detail: "words")
      catalogue.add("webSocket.\(code)", error)
      catalogue.add("webSocket.\(code) in an app", error.errorDescription ?? "")
    }
    #expect(try catalogue.differences() == [])
    let literals = try SourceLiterals(of: "KithCore", after: ["SyntaxFault(", "path: name, reason:"])
    #expect(literals.all.count > 60)
    // Texts in another base are kept unparsed, so only a text that starts with b is decoded.
    #expect(catalogue.lacks(literals) == ["it does not start with b"])
  }

  private func addDecoding(to catalogue: inout WordingCatalogue) throws {
    for json in [
      #"{"a":"1"}"#, #"{"a":null}"#, #"{"a":{}}"#, #"{"a":[]}"#, #"{"a":true}"#, "{}", #"{"a":300}"#,
    ] {
      let error = #expect(throws: DecodingError.self) {
        try JSONCoding.decode(Sample.self, from: Array(json.utf8))
      }
      catalogue.add("decoding", error?.context?.debugDescription ?? "")
    }
  }

  private struct Sample: Decodable { let a: Int8 }

  private func addQuery(to catalogue: inout WordingCatalogue) {
    let query = XRPCQueryReader([
      XRPCQueryItem("a", "1"), XRPCQueryItem("a", "2"), XRPCQueryItem("n", "ten"),
    ])
    for name in ["a", "n", "absent"] {
      let error = #expect(throws: ValidationError.self) { try query.required(name) as Int }
      if let error { catalogue.add("query", error) }
    }
  }

  // MARK: Files

  private func addFiles(to catalogue: inout WordingCatalogue) {
    let reasons: [SecureFolderError.Reason] = [
      .accessibleToOthers(mode: 0o644, wanted: 0o600), .parentWritableByOthers(mode: 0o777),
      .writableByOthers(mode: 0o666), .foreignOwner(7),
      .symbolicLink, .hardLink, .notAFolder, .notAFile, .notASocket, .tooLarge(limit: 65_536), .relativePath,
      .system(.open, EACCES), .system(.create, EACCES), .system(.read, EIO), .system(.write, ENOSPC),
      .system(.remove, EACCES), .system(.lock, EBADF),
    ]
    let errors = reasons.map { SecureFolderError(path: "/f", $0) }
    for error in errors { catalogue.add("file.\(error.code.rawValue)", error) }
    #expect(Set(SecureFolderError.Code.allCases).subtracting(errors.map(\.code)) == [])
  }

  // MARK: Identifiers

  private func addSyntax(to catalogue: inout WordingCatalogue) {
    let long = String(repeating: "a", count: 9_000)
    let label = String(repeating: "a", count: 64)
    add(
      DID.self,
      ["did:x:\(long)", "alice.test", "did:plc", "did:PLC:x", "did::x", "did:x:", "did:x:a b", "did:x:a:"],
      to: &catalogue)
    add(
      Handle.self,
      [
        long, ".test", "a-.test", "-a.test", "a b.test", "\(label).test", "a.", "a.test-", "alice", "a.1st",
      ], to: &catalogue)
    add(
      NSID.self,
      [
        long, "a..b", "a-.b.c", "-a.b.c", "1a.b.c", "a.b.ö", "\(label).b.c", "a.b.", "a.b", "a.b.1c",
        "a.b.c-d",
      ], to: &catalogue)
    add(ATURI.self, ["at://\(long)", "https://a.test", "at://a b", "at://a.test/x"], to: &catalogue)
    add(RecordKey.self, ["", long, "a b", "."], to: &catalogue)
    add(TID.self, ["3jzfcijpj2z21", "zzzzzzzzzzzzz", "3jz"], to: &catalogue)
    add(
      URI.self, ["x:\(long)", "1:x", "a_b:x", "\(label)\(label):x", "abc", "abc:", "abc:x y"], to: &catalogue)
    add(
      Datetime.self,
      [
        long, "2026-01-01T00:00:00Zx", "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00x",
        "20-01-01", "2026-13-01T00:00:00Z", "2026/01/01",
      ], to: &catalogue)
    add(
      LanguageTag.self,
      [long, "a-b", "i", "EN", "abcd", "en-ü", "en--us", "en-abcdefghi", "en-a-bc-a-cd", "sl-nedis-nedis"],
      to: &catalogue)
    add(
      CID.self,
      [
        "b\(long)", "bafy!eic", "bafyreib", "zzz", "Qmaaaaaaaaaa", "bafyreiclp443lavo",
        "bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwr", "f.yreiclp", "bqaaaaaaa", "bqaaaaaa",
        "bqcaibaeaqa", "b7777777777777777",
      ], to: &catalogue)
    let bytes: [[UInt8]] = [
      [], [1], [2, 0x71, 0x12, 1, 0], [1, 0x80, 0x00, 0], [1, 0x71, 0x12, 9, 0],
      [1] + Array(repeating: 0xFF, count: 12),
    ]
    for some in bytes {
      let error = #expect(throws: SyntaxError.self) { try CID(bytes: some) }
      if let error { catalogue.add("syntax", error) }
    }
  }

  private func add<Identifier: SyntaxIdentifier>(
    _ type: Identifier.Type, _ texts: [String], to catalogue: inout WordingCatalogue
  ) {
    for text in texts {
      let error = #expect(throws: SyntaxError.self, "\(type): \(text)") { try Identifier(parsing: text) }
      if let error {
        let whole = error.text.count > 90 ? "…" : error.text
        catalogue.add(
          "syntax", "not a valid \(error.subject): \(error.reason) at byte \(error.offset): \"\(whole)\"")
      }
    }
  }

  // MARK: Lexicons

  private func addValidation(to catalogue: inout WordingCatalogue) {
    func add(_ check: () throws -> Void) {
      let error = #expect(throws: KithCore.ValidationError.self) { try check() }
      if let error { catalogue.add("validation", error) }
    }
    add { try Validation.range(0, at: "limit", min: 1) }
    add { try Validation.range(9, at: "limit", max: 8) }
    add { try Validation.choice(3, at: "a", among: [1, 2]) }
    add { try Validation.constant("y", at: "a", is: "x") }
    let cid = CID("bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq")
    let blob = cid.map { Blob(ref: $0, mimeType: "image/png", size: 11) }
    add { try Validation.blob(blob, at: "avatar", accept: ["image/jpeg"]) }
    add { try Validation.blob(blob, at: "avatar", maxSize: 10) }
    add { try Validation.object("text", at: "record") }
    add { try Validation.length("abcd", at: "text", max: 3) }
    add { try Validation.length("", at: "text", min: 1) }
    add { try Validation.graphemes("ab", at: "text", max: 1) }
    add { try Validation.count([1, 2], at: "others", max: 1) }
  }
}
