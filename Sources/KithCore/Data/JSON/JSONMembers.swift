// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object, read by name without `Codable` containers.
///
/// For the one or two types that are decoded by the hundred thousand. Anything unexpected is nil here, and
/// left to the type's `init(from:)`, which decodes it the slow way and reports what is wrong.
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

  private init?(of json: JSONValueDecoder) {
    guard json.kind == .object else { return nil }
    document = json.document
    object = json.index
    (marks, count) = document.marks(ofNamesIn: object)
  }

  /// Calls the closure for each element of a member that is an array, with the element's members (nil if it
  /// is not an object) and a decoder for it. Returns false if the member is absent or not an array.
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

  /// Returns whether a member is present and equals the given text.
  package func holds(_ text: StaticString, in name: String) -> Bool {
    guard let index = document.member(of: object, marks: marks, named: name),
      document.nodes[index].kind == .string
    else { return false }
    return document.utf8(of: index).isSame(
      as: UTF8Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Returns the DID in a member; nil if it is absent or something else.
  package func did(_ name: String) -> DID? {
    document.member(of: object, marks: marks, named: name).flatMap { identifier(at: $0) }
  }

  /// Returns the AT-URI in a member, `.some(nil)` if the member is absent, or nil if it is something else.
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
