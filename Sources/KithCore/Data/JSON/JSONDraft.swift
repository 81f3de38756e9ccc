// SPDX-License-Identifier: Apache-2.0

/// A value that is being encoded: containers of several types may add to the same object.
final class JSONDraft {
  enum Kind { case nothing, token, string, json, array, object }

  private(set) var kind = Kind.nothing
  /// A token of JSON, such as a number, or the content of a string.
  private var text = ""
  /// The JSON of a value that is complete.
  private var json: [UInt8] = []
  private var elements: [JSONDraft] = []
  private var members: [FieldName: JSONDraft] = [:]

  var count: Int { elements.count }

  func set(token: String) { (kind, text) = (.token, token) }
  func set(string: String) { (kind, text) = (.string, string) }
  func set(json: [UInt8]) { (kind, self.json) = (.json, json) }

  /// Makes it an array, or an object, if it is not one yet.
  func become(_ kind: Kind) { if self.kind != kind { self.kind = kind } }

  /// Adds an element.
  func element() -> JSONDraft {
    let draft = JSONDraft()
    elements.append(draft)
    return draft
  }

  /// Adds a member, in place of the one of the same name.
  func member(_ name: String) -> JSONDraft {
    let draft = JSONDraft()
    members[FieldName(name)] = draft
    return draft
  }

  /// The member of a name, which may have content; it is added if there is none.
  func openMember(_ name: String) -> JSONDraft { members[FieldName(name)] ?? member(name) }

  /// Appends the JSON, with members in the order of the bytes of their names.
  func append(to json: inout [UInt8]) {
    switch kind {
    // As a type without fields is written.
    case .nothing: json += "{}".utf8
    case .token: json += text.utf8
    case .string: json.appendJSON(text: text)
    case .json: json += self.json
    case .array: json.appendList(elements, in: "[]") { $1.append(to: &$0) }
    case .object:
      json.appendList(members.sorted { $0.key < $1.key }, in: "{}") {
        $0.appendJSON(text: $1.key.text)
        $0.append(UInt8(ascii: ":"))
        $1.value.append(to: &$0)
      }
    }
  }
}

extension [UInt8] {
  /// Appends items with commas between them, in brackets.
  mutating func appendList<Item>(
    _ items: some Sequence<Item>, in brackets: StaticString, _ append: (inout [UInt8], Item) throws -> Void
  ) rethrows {
    self.append(brackets.utf8Start[0])
    for (place, item) in items.enumerated() {
      if place > 0 { self.append(UInt8(ascii: ",")) }
      try append(&self, item)
    }
    self.append(brackets.utf8Start[1])
  }

  /// Appends a text as JSON, with the escapes that it needs and no others.
  mutating func appendJSON(text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
      case 0x08: self += #"\b"#.utf8
      case 0x09: self += #"\t"#.utf8
      case 0x0A: self += #"\n"#.utf8
      case 0x0C: self += #"\f"#.utf8
      case 0x0D: self += #"\r"#.utf8
      case ..<0x20: self += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
