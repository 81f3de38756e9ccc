// SPDX-License-Identifier: Apache-2.0

/// A parsed and valid document: its bytes and one node for each value.
///
/// It owns both; their addresses stay the same during its lifetime.
final class JSONDocument {
  /// The document, with escapes decoded in place.
  let bytes: UTF8Bytes
  /// The values, the root first. Never empty.
  let nodes: UnsafeBufferPointer<JSONNode>
  /// A hint: a name near the member that will probably be looked up next. Types mostly look up members in the
  /// order of the document.
  var nextName: Int = 0
  /// Whether optional fields that are defined otherwise make it unreadable.
  let isStrict: Bool

  /// Parses a document.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset of the fault; the underlying error is a
  ///   ``JSONFault``.
  init(
    reading document: [UInt8], within bounds: JSONBounds, strictly isStrict: Bool = false
  ) throws(DecodingError) {
    self.isStrict = isStrict
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: document.count)
    _ = bytes.initialize(from: document)
    self.bytes = UTF8Bytes(bytes)
    var scanner = JSONScanner(bytes: bytes, bounds: bounds)
    do throws(JSONFault) {
      try scanner.scan()
    } catch {
      defer {
        bytes.deallocate()
        scanner.nodes.deallocate()
      }
      throw DecodingError.dataCorrupted(
        .init(codingPath: scanner.path, debugDescription: error.description, underlyingError: error))
    }
    nodes = UnsafeBufferPointer(scanner.nodes.all)
  }

  deinit {
    bytes.deallocate()
    nodes.deallocate()
  }

  /// Returns the node after a value and its contents.
  @inline(__always)
  func end(of index: Int) -> Int {
    let node = nodes[index]
    return node.isContainer ? Int(node.extent) : index + 1
  }

  /// Returns the text of a string or name; valid while the document lives.
  @inline(__always)
  func utf8(of index: Int) -> UTF8Bytes {
    let node = nodes[index]
    let start = Int(node.offset)
    return UTF8Bytes(rebasing: bytes[start..<start + Int(node.extent)])
  }

  /// Returns the text of a string or name.
  func text(of index: Int) -> String { String(decoding: utf8(of: index), as: UTF8.self) }
}

extension JSONDocument {
  /// Returns a bit set of the names of an object, which rules out most absent names, and the number of names.
  func marks(ofNamesIn object: Int) -> (marks: UInt64, count: Int) {
    var marks: UInt64 = 0
    var count = 0
    let end = Int(nodes[object].extent)
    var index = object + 1
    while index < end {
      marks |= nodes[index].mark
      count += 1
      index = self.end(of: index + 1)
    }
    return (marks, count)
  }

  /// Returns the value of a member of an object; nil if it has no such member.
  func member(of object: Int, marks: UInt64 = .max, named name: String) -> Int? {
    var name = name
    return name.withUTF8 { name in
      let end = Int(nodes[object].extent)
      let isHinted = nextName > object && nextName < end && Int(nodes[nextName].parent) == object
      // A decoder asks for the same member several times: whether it is there, whether it is null, its value.
      if isHinted, utf8(of: nextName).isSame(as: name) { return nextName + 1 }
      let tag = JSONNode.tag(ofName: name)
      guard marks & JSONNode.mark(ofTag: tag) != 0 else { return nil }
      let first = isHinted ? nextName : object + 1
      return member(tag, name, from: first, to: end) ?? member(tag, name, from: object + 1, to: first)
    }
  }

  @inline(__always)
  private func member(_ tag: UInt32, _ name: UTF8Bytes, from start: Int, to end: Int) -> Int? {
    var index = start
    while index < end {
      let next = self.end(of: index + 1)
      if nodes[index].tag == tag, utf8(of: index).isSame(as: name) {
        nextName = index
        return index + 1
      }
      index = next
    }
    return nil
  }

  /// Returns the nodes of an object's names, in document order.
  func names(of object: Int) -> [Int] {
    var names: [Int] = []
    let end = Int(nodes[object].extent)
    var index = object + 1
    while index < end {
      names.append(index)
      index = self.end(of: index + 1)
    }
    return names
  }

  /// Returns the path from the root to a value.
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
