// SPDX-License-Identifier: Apache-2.0

/// An array that reserves capacity for all its elements before it decodes them from JSON.
///
/// The standard library lets the array grow, which copies large elements repeatedly.
protocol JSONElements {
  /// Decodes all elements of an array.
  static func decoded(from json: JSONValueDecoder) throws -> Self
}

extension Array: JSONElements where Element: Decodable {
  static func decoded(from json: JSONValueDecoder) throws -> [Element] {
    var elements: [Element] = []
    var container = JSONArrayContainer(document: json.document, array: json.index)
    // The capacity is limited by the size of the document, whatever the element count suggests.
    let most = json.document.bytes.count * 4 / Swift.max(MemoryLayout<Element>.stride, 1)
    elements.reserveCapacity(Swift.min(container.count ?? 0, most))
    while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    return elements
  }
}

extension JSONValueDecoder {
  /// Decodes the value as a type.
  @inline(__always)
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let node = document.nodes[index]
    // Checking for an array type costs as much as decoding a few elements.
    return node.kind == .array && Int(node.extent) - index > 32 ? try elements(type) : try Value(from: self)
  }

  // A separate function, because the optional types in it are looked up at run time.
  @inline(never)
  private func elements<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let value = try (type as? any JSONElements.Type)?.decoded(from: self) as? Value { return value }
    return try Value(from: self)
  }
}
