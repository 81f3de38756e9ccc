// SPDX-License-Identifier: Apache-2.0

/// The members of an object of JSON from the wire, read by name without the containers of `Codable`.
///
/// For the one or two types that are read by the hundred thousand. Whatever is not as expected is nil here, and
/// is left to the type's `init(from:)`, which reads it the long way and says what is wrong with it.
package struct JSONMembers {
  private let document: JSONDocument
  private let object: Int
  private let marks: UInt64
  /// How many there are.
  package let count: Int

  /// The members of what a decoder is at; nil where that is no object, or the decoder is not one of JSON from the
  /// wire.
  package init?(_ decoder: any Decoder) {
    guard let json = JSONValueDecoder(decoder) else { return nil }
    self.init(of: json)
  }

  private init?(of json: JSONValueDecoder) {
    guard json.kind == .object else { return nil }
    document = json.document
    object = json.index
    (marks, count) = document.marks(ofNamesIn: object)
  }

  /// Hands over the elements of a member that is an array, each by its members, where it is an object, and by the
  /// decoder that is at it; false where the member is absent or something else.
  package func forEachElement(
    of name: String, _ body: (JSONMembers?, any Decoder) throws -> Void
  ) rethrows -> Bool {
    guard let array = document.member(of: object, marks: marks, named: name),
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

  /// Whether a member is there, and the text given.
  package func holds(_ text: StaticString, in name: String) -> Bool {
    guard let index = document.member(of: object, marks: marks, named: name),
      document.nodes[index].kind == .string
    else { return false }
    return document.utf8(of: index).isSame(
      as: UTF8Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The identifier that a member is; nil where it is absent or something else.
  package func did(_ name: String) -> DID? {
    document.member(of: object, marks: marks, named: name).flatMap { identifier(at: $0) }
  }

  /// The AT-URI that a member is, or none where it is absent; nil where it is something else.
  package func atURIIfPresent(_ name: String) -> ATURI?? {
    guard let index = document.member(of: object, marks: marks, named: name) else { return .some(nil) }
    let uri: ATURI? = identifier(at: index)
    return uri.map { .some($0) }
  }

  @inline(__always)
  private func identifier<Identifier: ScannedIdentifier>(at index: Int) -> Identifier? {
    guard document.nodes[index].kind == .string else { return nil }
    return withExtendedLifetime(document) { Identifier(valid: document.utf8(of: index)) }
  }
}
