// SPDX-License-Identifier: Apache-2.0

/// A name that equals another one of the same bytes only, and is before those of greater bytes.
struct FieldName: Hashable, Comparable, Sendable {
  let text: String

  @inline(__always)
  init(_ text: String) { self.text = text }

  @inline(__always)
  static func == (name: FieldName, other: FieldName) -> Bool { name.text.hasSameBytes(as: other.text) }

  static func < (name: FieldName, other: FieldName) -> Bool {
    name.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension Hasher {
  /// Adds the bytes of a text; `combine` adds those of its normal form.
  mutating func combine(bytesOf text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether it has the same bytes as another text. Texts that look the same are equal, and may have others.
  package func hasSameBytes(as other: String) -> Bool {
    var (text, other) = (self, other)
    return text.withUTF8 { bytes in other.withUTF8 { bytes.isSame(as: $0) } }
  }
}
