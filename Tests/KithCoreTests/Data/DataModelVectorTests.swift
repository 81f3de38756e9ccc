// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@Suite struct DataModelVectorTests {
  // MARK: Our own

  /// A line of the files in `Vectors/`; see the README there.
  struct OwnVector: CustomTestStringConvertible {
    /// The location of the fault in an invalid record.
    var path = ""
    let json: String
    /// How a valid record is encoded.
    var written = ""

    var testDescription: String { json }

    static func valid() throws -> [OwnVector] {
      try lines("data-model_valid.txt").map { line in
        let spellings = line.text.components(separatedBy: " -> ")
        return OwnVector(json: spellings[0], written: try #require(spellings.last))
      }
    }

    static func invalid() throws -> [OwnVector] {
      try lines("data-model_invalid.txt").map { line in
        let (place, text) = try line.placeAndText()
        return OwnVector(path: place == "." ? "" : place, json: text)
      }
    }

    private static func lines(_ name: String) throws -> [VectorLine] {
      let target = URL(filePath: #filePath).deletingLastPathComponent().path()
      return try VectorLine.all(name, besideSource: target)
    }
  }

  @Test(arguments: try OwnVector.valid()) func takesWhatKeepsTheRules(vector: OwnVector) throws {
    let value = try DataValue.record(json: Array(vector.json.utf8))
    let written = try JSONCoding.encode(value)
    #expect(try DataValue.record(json: written) == value)
    let expected = try JSONSerialization.jsonObject(with: Data(vector.written.utf8)) as? NSDictionary
    #expect(try JSONSerialization.jsonObject(with: Data(written)) as? NSDictionary == expected)
    #expect(expected != nil)
  }

  @Test(arguments: try OwnVector.invalid()) func refusesWhatBreaksARule(vector: OwnVector) {
    let error = #expect(throws: DecodingError.self) {
      try DataValue.record(json: Array(vector.json.utf8))
    }
    let path = error?.context?.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    #expect(path?.joined(separator: ".") == vector.path)
  }

  // MARK: The protocol's

  /// An element of a vector file, with the decoded value or the reason why it was rejected.
  struct Vector: Decodable, CustomTestStringConvertible {
    let note: String?
    let value: Result<DataValue, any Error>

    private enum CodingKeys: CodingKey {
      case note, json
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      note = try container.decodeIfPresent(String.self, forKey: .note)
      value = Result { try container.decode(DataValue.self, forKey: .json) }
    }

    var testDescription: String { note ?? "fixture" }

    init(note: String?, json: Any) {
      self.note = note
      value = Result {
        let json = try JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)
        return try JSONCoding.decode(DataValue.self, from: [UInt8](json))
      }
    }

    static func all(_ path: String) throws -> [Vector] {
      let json = try Vectors.interop.bytes(path)
      return json.isEmpty ? [] : try JSONCoding.decode([Vector].self, from: json)
    }

    /// Decoded one by one, because one invalid value would reject the whole document.
    static func each(_ path: String) throws -> [Vector] {
      let json = try Vectors.interop.bytes(path)
      let all = json.isEmpty ? [] : try JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]]
      return try #require(all).map { Vector(note: $0["note"] as? String, json: $0["json"] ?? NSNull()) }
    }
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vector.all("data-model/data-model-valid.json"))
  func takes(vector: Vector) throws {
    let value = try vector.value.get()
    #expect(try DataValue.record(json: JSONCoding.encode(value)) == value)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vector.each("data-model/data-model-invalid.json"))
  func refuses(vector: Vector) {
    #expect(throws: DecodingError.self) {
      try DataValue.record(json: JSONCoding.encode(vector.value.get()))
    }
  }

  @Test(.enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"))
  func spellsFixturesAsTheyWere() throws {
    let json = try Vectors.interop.bytes("data-model/data-model-fixtures.json")
    let values = try JSONCoding.decode([[String: DataValue]].self, from: json)
    #expect(values.count == 3)
    let written = try JSONCoding.encode(values)
    let before = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSArray)
    let after = try #require(try JSONSerialization.jsonObject(with: Data(written)) as? NSArray)
    #expect(before == after)
  }
}
