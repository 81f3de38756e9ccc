// SPDX-License-Identifier: Apache-2.0

/// A document that was read whole and found to be sound: its bytes, and a node for each value in it.
final class JSONDocument {
  /// The document, with escapes undone in their place.
  let bytes: [UInt8]
  /// What stands in it; the root first. There is always one.
  let nodes: [JSONNode]
  /// Where the next member to be asked for probably stands: types mostly ask in the order of the wire.
  var nextName: Int = 0

  /// Reads a document.
  ///
  /// - Throws: `DecodingError` with the path, and the offset in bytes, of what is not sound.
  init(reading bytes: [UInt8]) throws {
    let (nodes, unescaped) = try bytes.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes: bytes)
      do throws(JSONFault) {
        try scanner.scan()
      } catch {
        throw DecodingError.dataCorrupted(
          .init(codingPath: scanner.path, debugDescription: error.description))
      }
      return (scanner.nodes, scanner.unescaped)
    }
    self.bytes = unescaped ?? bytes
    self.nodes = nodes
  }

  /// The node after a value and all that it holds.
  @inline(__always)
  func end(of index: Int) -> Int {
    let node = nodes[index]
    return node.isContainer ? Int(node.extent) : index + 1
  }

  /// Hands over the text of a string or name.
  @inline(__always)
  func withText<Value>(of index: Int, _ read: (UTF8Bytes) throws -> Value) rethrows -> Value {
    let node = nodes[index]
    let start = Int(node.offset)
    return try bytes.withUnsafeBufferPointer { bytes in
      try read(UTF8Bytes(rebasing: bytes[start..<start + Int(node.extent)]))
    }
  }

  /// The text of a string or name.
  func text(of index: Int) -> String { withText(of: index) { String(decoding: $0, as: UTF8.self) } }

  /// The value of a member of an object, or nil where it has none of that name.
  func member(of object: Int, named name: String) -> Int? {
    var name = name
    return name.withUTF8 { name in
      let tag = JSONNode.tag(ofName: name)
      let end = Int(nodes[object].extent)
      let hint = nextName > object && nextName < end && Int(nodes[nextName].parent) == object
      let first = hint ? nextName : object + 1
      return member(tag, name, from: first, to: end) ?? member(tag, name, from: object + 1, to: first)
    }
  }

  @inline(__always)
  private func member(_ tag: UInt32, _ name: UTF8Bytes, from start: Int, to end: Int) -> Int? {
    var index = start
    while index < end {
      if nodes[index].tag == tag, withText(of: index, { $0.isSame(as: name) }) {
        nextName = self.end(of: index + 1)
        return index + 1
      }
      index = self.end(of: index + 1)
    }
    return nil
  }

  /// The names of an object, as nodes, in the order of the document.
  func names(of object: Int) -> [Int] {
    var names: [Int] = []
    var index = object + 1
    while index < nodes[object].extent {
      names.append(index)
      index = end(of: index + 1)
    }
    return names
  }

  /// The path from the root to a value.
  func path(to index: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var child = index
    while nodes[child].parent != JSONNode.none {
      let parent = Int(nodes[child].parent)
      let key: JSONPathKey =
        nodes[parent].kind == .array ? .index(nodes[child].position) : .name(text(of: child - 1))
      path.append(key)
      child = parent
    }
    return path.reversed()
  }
}
