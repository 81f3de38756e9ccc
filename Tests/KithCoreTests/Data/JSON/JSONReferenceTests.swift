// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// Compares with Foundation's `JSONDecoder`, an independent, slow and lenient implementation.
///
/// Foundation accepts everything that this decoder accepts, with the same result. What only Foundation
/// accepts is of the classes of ``stricter``, or a comma before a bracket. What only this decoder accepts has half
/// a surrogate pair.
@Suite struct JSONReferenceTests {
  /// The classes of input that only Foundation accepts.
  static let stricter: Set<JSONFault.Code> = [
    // 1e3 is an integer for Foundation.
    .exponent,
    // So is 9007199254740993.5: Foundation reads it as a `Double`, which drops its decimals.
    .notAnInteger,
    // Foundation takes one of the two, unspecified which.
    .repeatedName,
    // Foundation allows 512.
    .tooDeep,
    // Foundation skips it.
    .byteOrderMark,
  ]

  private func compare(_ json: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    compare(JSONTree.self, json, sourceLocation)
    compare(DataValue.self, json, sourceLocation)
  }

  private func compare<Value: Decodable & Equatable>(
    _ type: Value.Type, _ json: [UInt8], _ sourceLocation: SourceLocation
  ) {
    let theirs = try? JSONDecoder().decode(type, from: Data(json))
    let text = String(decoding: json, as: UTF8.self)
    do {
      let ours = try JSONCoding.decode(type, from: json)
      if theirs == nil, holdsHalf(json) { return }
      #expect(theirs == ours, "\(text)", sourceLocation: sourceLocation)
    } catch {
      guard theirs != nil else { return }
      let fault = (error as? DecodingError)?.context?.underlyingError as? JSONFault
      #expect(fault.map { isStricter($0, json) } == true, "\(error): \(text)", sourceLocation: sourceLocation)
    }
  }

  /// Whether a surrogate may stand in the document, escaped or in three bytes.
  private func holdsHalf(_ json: [UInt8]) -> Bool {
    String(decoding: json, as: UTF8.self).lowercased().contains(#"\ud"#)
      || zip(json, json.dropFirst()).contains { $0 == 0xED && $1 >= 0xA0 }
  }

  private func isStricter(_ fault: JSONFault, _ json: [UInt8]) -> Bool {
    if Self.stricter.contains(fault.code) { return true }
    // Foundation allows a comma after the last element: [1,].
    return fault.code == .expectedValue && fault.offset < json.count
      && json[fault.offset] == UInt8(ascii: "]")
  }

  @Test(arguments: 0..<20) func readsRandomDocumentsAlike(seed: UInt64) {
    var documents = RandomJSON(seed: seed)
    for _ in 0..<50 {
      let json = documents.next()
      compare(json)
      for _ in 0..<4 { compare(documents.damaged(json)) }
    }
  }

  /// Cuts and mutates a document with all features at every position.
  @Test func survivesEveryByteAtEveryPlace() {
    let json = Array(#"{"a":[1,-20,"x\u00e9\ud83d\ude00é🦋",true],"b":{"c":null,"d":false},"$type":"t"}"#.utf8)
    for position in json.indices {
      compare(Array(json[..<position]))
      for byte: UInt8 in [
        0, 0x1F, 0x22, 0x2C, 0x2E, 0x30, 0x5B, 0x5C, 0x5D, 0x65, 0x7B, 0x7D, 0x80, 0xC3, 0xFF,
      ] {
        var other = json
        other[position] = byte
        compare(other)
      }
    }
  }

  @Test(arguments: try files(in: repository + "/Lexicons")) func readsOurLexiconsAlike(file: URL) throws {
    compare([UInt8](try Data(contentsOf: file)))
  }

  @Test func readsOurVectorsAlike() throws {
    let target = Self.repository + "/Tests/KithCoreTests/JSONReferenceTests.swift"
    var documents = try VectorLine.all("data-model_valid.txt", besideSource: target).flatMap {
      $0.text.components(separatedBy: " -> ")
    }
    documents += try VectorLine.all("data-model_invalid.txt", besideSource: target).map {
      try $0.placeAndText().text
    }
    for document in documents { compare(Array(document.utf8)) }
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try files(in: Vectors.interop.folder))
  func readsTheProtocolsVectorsAlike(file: URL) throws {
    compare([UInt8](try Data(contentsOf: file)))
  }

  @Test(
    .enabled(if: Vectors.lexicons.areThere, "KITH_LEXICONS names no folder"),
    arguments: try files(in: Vectors.lexicons.folder))
  func readsLexiconsAlike(file: URL) throws {
    compare([UInt8](try Data(contentsOf: file)))
  }

  /// The folder of this repository, found from the path of this file.
  static let repository = #filePath.components(separatedBy: "/Tests/KithCoreTests/")[0]

  static func files(in folder: String?) throws -> [URL] {
    guard let folder else { return [] }
    let all = FileManager.default.enumerator(
      at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
    let found = (all?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "json" }
    try #require(!found.isEmpty, "no JSON in \(folder)")
    return found.sorted { $0.path < $1.path }
  }
}
