// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object, read by name without `Codable` containers.
///
/// For the one or two types that are decoded by the hundred thousand. Anything unexpected is nil here;
/// ``decode(_:in:)`` tells what is wrong with it.
package struct JSONMembers {
  private let document: JSONDocument
  private let object: Int
  private let marks: UInt64
  /// The number of members.
  package let count: Int

  /// Creates a view of the object that a decoder is at; nil if the value is not an object, or the decoder is
  /// not a ``JSONValueDecoder``.
  package init?(_ decoder: any Decoder) {
    guard let json = JSONValueDecoder(decoder) else { return nil }
    self.init(of: json)
  }

  /// Creates a view of the object that a decoder is at.
  ///
  /// - Throws: `DecodingError` if the value is not an object, or the decoder is not a ``JSONValueDecoder``.
  package init(from decoder: any Decoder) throws {
    guard let members = Self(decoder) else {
      _ = try decoder.container(keyedBy: JSONPathKey.self)
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "this is decoded by JSONCoding alone"))
    }
    self = members
  }

  private init?(of json: JSONValueDecoder) {
    guard json.kind == .object else { return nil }
    document = json.document
    object = json.index
    (marks, count) = document.marks(ofNamesIn: object)
  }

  @inline(__always)
  private func index(_ name: String) -> Int? { document.member(of: object, marks: marks, named: name) }

  /// Returns whether there is a member, of any value.
  package func contains(_ name: String) -> Bool { index(name) != nil }

  /// Returns the text in a member; nil if it is absent or something else.
  package func text(_ name: String) -> String? {
    guard let index = index(name), document.nodes[index].kind == .string else { return nil }
    return document.text(of: index)
  }

  /// Returns the whole number in a member; nil if it is absent or something else.
  package func integer(_ name: String) -> Int? {
    index(name).flatMap { try? JSONValueDecoder(document: document, index: $0).integer(Int.self) }
  }

  /// Decodes a member.
  ///
  /// - Throws: `DecodingError` if it is absent or something else.
  package func decode<Value: Decodable>(_ type: Value.Type, in name: String) throws -> Value {
    try JSONObjectContainer<JSONPathKey>(document: document, object: object)
      .decode(type, forKey: .name(name))
  }

  /// Returns the members of a member that is an object; nil if it is absent or something else.
  package func members(_ name: String) -> JSONMembers? {
    index(name).flatMap { JSONMembers(of: JSONValueDecoder(document: document, index: $0)) }
  }

  /// Calls the closure for each element of a member that is an array, with the element's members (nil if it
  /// is not an object) and a decoder for it. Returns false if the member is absent or not an array.
  package func forEachElement(
    of name: String, _ body: (JSONMembers?, any Decoder) throws -> Void
  ) rethrows -> Bool {
    guard let array = index(name),
      document.nodes[array].kind == .array
    else { return false }
    var index = array + 1
    while index < document.nodes[array].extent {
      let json = JSONValueDecoder(document: document, index: index)
      try body(JSONMembers(of: json), json)
      index = document.end(of: index)
    }
    return true
  }

  /// Returns whether a member is present and equals the given text.
  package func holds(_ text: StaticString, in name: String) -> Bool {
    guard let index = index(name), document.nodes[index].kind == .string
    else { return false }
    return document.utf8(of: index).isSame(
      as: UTF8Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Returns the DID in a member; nil if it is absent or something else.
  package func did(_ name: String) -> DID? { index(name).flatMap { identifier(at: $0) } }

  /// Returns the handle in a member; nil if it is absent or something else.
  package func handle(_ name: String) -> Handle? { index(name).flatMap { identifier(at: $0) } }

  /// Returns the date and time in a member; nil if it is absent or something else.
  package func datetime(_ name: String) -> Datetime? { index(name).flatMap { identifier(at: $0) } }

  /// Returns the AT-URI in a member, `.some(nil)` if the member is absent, or nil if it is something else.
  package func atURIIfPresent(_ name: String) -> ATURI?? {
    guard let index = index(name) else { return .some(nil) }
    let uri: ATURI? = identifier(at: index)
    return uri.map { .some($0) }
  }

  @inline(__always)
  private func identifier<Identifier: ScannedIdentifier>(at index: Int) -> Identifier? {
    guard document.nodes[index].kind == .string else { return nil }
    return withExtendedLifetime(document) { Identifier(valid: document.utf8(of: index)) }
  }
}
