// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import lexgen

/// Record data, decoded and validated by the generated code of the package's own catalog.
@Suite struct OwnRecordDataTests {
  typealias Record = Example.Catalog.Record

  @Test(arguments: try VectorLine.all("record-data_valid.txt", besideSource: #filePath))
  func acceptsValidData(line: VectorLine) throws {
    let data = try data(line.text)
    let record = try data.decode(Record.self)
    try record.validate()
    #expect(try DataValue(encoding: record) == data)
  }

  @Test(arguments: try VectorLine.all("record-data_invalid.txt", besideSource: #filePath))
  func refusesInvalidData(line: VectorLine) throws {
    let (place, text) = try line.placeAndText()
    let error = #expect(throws: (any Error).self) {
      try data(text).decode(Record.self, strictly: true).validate()
    }
    #expect(path(error) == (place == "." ? "" : place))
  }

  @Test func refusesARecordWithoutWhatIsRequired() throws {
    let error = #expect(throws: DecodingError.self) {
      try DataValue.object(["$type": "example.catalog.record"]).decode(Record.self)
    }
    #expect(path(error) == "")
  }

  /// Returns the record of a line, with its type and missing required fields added.
  private func data(_ text: String) throws -> DataValue {
    let fields = try #require(try DataValue.record(json: Array(text.utf8)).object)
    let required: DataObject = ["$type": "example.catalog.record", "count": 1]
    return .object(required.merging(fields) { $1 })
  }

  /// Returns the location of the fault in a decoding or validation error.
  private func path(_ error: (any Error)?) -> String? {
    if let error = error as? ValidationError {
      return error.path.replacing("[", with: ".").replacing("]", with: "")
    }
    let context: DecodingError.Context? =
      switch error as? DecodingError {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      default: nil
      }
    return context?.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}

/// Record data, decoded and validated by the generated code of the protocol's catalog.
@Suite struct RecordDataTests {
  typealias Record = Example.Lexicon.Record

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"), arguments: try vectors("valid"))
  func acceptsValidData(vector: Vector) throws {
    let record = try vector.data.decode(Record.self)
    try record.validate()
    #expect(try DataValue(encoding: record) == vector.data)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"), arguments: try vectors("invalid"))
  func refusesInvalidData(vector: Vector) {
    #expect(throws: (any Error).self) {
      try vector.data.decode(Record.self, strictly: true).validate()
    }
  }

  @Test(arguments: [
    "false", #"{"$bytes": "AQ"}"#,
    #"{"$link": "bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq"}"#,
    """
    {"$type": "blob", "mimeType": "text/plain", "size": 5,
    "ref": {"$link": "bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq"}}
    """,
  ])
  func rejectsUnknownDataThatIsNotAnObject(json: String) throws {
    let value = try JSONCoding.decode(DataValue.self, from: Array(json.utf8))
    let record = try record(["unknown": value])
    let fault = #expect(throws: ValidationError.self) { try record.validate() }
    #expect(fault?.path == "unknown")
  }

  @Test func keepsWhatItDoesNotKnow() throws {
    let fields: DataObject = [
      "later": ["a": [nil, true]], "nullableString": nil, "knownString": "violet",
      "ref": ["$type": "example.lexicon.record#demoObject", "a": 1, "deep": "kept"],
      "union": ["$type": "com.example.later", "x": 1],
      "closedUnion": ["$type": "example.lexicon.record#demoObject", "b": 2, "also": "kept"],
    ]
    let record = try record(fields)
    #expect(record.unknownFields == ["later": ["a": [nil, true]]])
    #expect(record.nullableString == .null)
    #expect(record.knownString == Record.KnownString(rawValue: "violet"))
    #expect(record.ref?.unknownFields["deep"] == "kept")
    let encoded = try #require(try DataValue(encoding: record).object)
    for (name, value) in fields { #expect(encoded[name] == value, "\(name)") }
    #expect(encoded.count == fields.count + 2)
  }

  /// A `$type` that a union writes itself is not an unknown field, so decoded and created values are equal.
  @Test func aMemberThatWasReadEqualsOneThatWasMade() throws {
    let record = try record(["union": ["$type": "example.lexicon.record#demoObject", "a": 1]])
    #expect(record.union == .demoObject(Record.DemoObject(a: 1)))
  }

  @Test(arguments: ["example.lexicon.other", nil]) func refusesADifferentType(type: String?) {
    var fields: DataObject = ["integer": 1]
    fields["$type"] = type.map(DataValue.string)
    #expect(throws: DecodingError.self) { try DataValue.object(fields).decode(Record.self) }
  }

  private func record(_ fields: DataObject) throws -> Record {
    let required: DataObject = ["$type": "example.lexicon.record", "integer": 1]
    return try DataValue.object(fields.merging(required) { $1 }).decode(Record.self)
  }

  struct Vector: CustomTestStringConvertible, Sendable {
    let name: String
    let data: DataValue
    var testDescription: String { name }
  }

  static func vectors(_ kind: String) throws -> [Vector] {
    guard Vectors.interop.areThere else { return [] }
    let bytes = try Vectors.interop.bytes("lexicon/record-data-\(kind).json")
    return try JSONCoding.decode([RawVector].self, from: bytes).map { Vector(name: $0.name, data: $0.data) }
  }

  private struct RawVector: Decodable {
    let name: String
    let data: DataValue
  }
}
