// SPDX-License-Identifier: Apache-2.0

/// A JSON document that keeps the order of its members and numbers of any form.
///
/// For documents about the data model, such as lexicons; ``DataValue`` is a value of the data model.
package indirect enum OrderedJSON: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// A number that is not a 64-bit integer, as written.
  case otherNumber(String)
  case string(String)
  case array([OrderedJSON])
  case object([Member])

  /// A member of an object.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: OrderedJSON

    package init(name: String, value: OrderedJSON) {
      self.name = name
      self.value = value
    }
  }

  /// Parses a document as strictly as ``JSONCoding/decode(_:from:within:)``, except for its numbers.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset of the fault.
  package init(reading bytes: [UInt8]) throws(DecodingError) {
    self.init(try JSONDocument(reading: bytes, within: JSONBounds()), at: 0)
  }

  /// Converts a value, whose nesting the scanner has limited.
  private init(_ document: JSONDocument, at index: Int) {
    switch document.nodes[index].kind {
    case .null, .name: self = .null
    case .bool: self = .boolean(document.bytes[Int(document.nodes[index].offset)] == UInt8(ascii: "t"))
    case .integer, .otherNumber:
      let text = document.text(of: index)
      self = Int64(text).map(OrderedJSON.integer) ?? .otherNumber(text)
    case .string: self = .string(document.text(of: index))
    case .array:
      var elements: [OrderedJSON] = []
      var element = index + 1
      while element < document.nodes[index].extent {
        elements.append(OrderedJSON(document, at: element))
        element = document.end(of: element)
      }
      self = .array(elements)
    case .object:
      self = .object(
        document.names(of: index).map {
          Member(name: document.text(of: $0), value: OrderedJSON(document, at: $0 + 1))
        })
    }
  }
}
