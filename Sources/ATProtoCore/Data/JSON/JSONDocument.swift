// SPDX-License-Identifier: Apache-2.0

/// A document that was read whole and found to be sound: its bytes, and a node for each value in it.
///
/// Both are its own, and stay where they are as long as it lives.
final class JSONDocument {
  /// The document, with escapes undone in their place.
  let bytes: UTF8Bytes
  /// What stands in it; the root first. There is always one.
  let nodes: UnsafeBufferPointer<JSONNode>
  /// A name near which the next member to be asked for probably stands: types mostly ask in the order of the
  /// wire.
  var nextName: Int = 0

  /// Reads a document.
  ///
  /// - Throws: `DecodingError` with the path, and the offset in bytes, of what is not sound; a ``JSONFault``
  ///   underlies it.
  init(reading document: [UInt8], within bounds: JSONBounds) throws {
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

  /// The node after a value and all that it holds.
  @inline(__always)
  func end(of index: Int) -> Int {
    let node = nodes[index]
    return node.isContainer ? Int(node.extent) : index + 1
  }

  /// The text of a string or name, for as long as the document lives.
  @inline(__always)
  func utf8(of index: Int) -> UTF8Bytes {
    let node = nodes[index]
    let start = Int(node.offset)
    return UTF8Bytes(rebasing: bytes[start..<start + Int(node.extent)])
  }

  /// The text of a string or name.
  func text(of index: Int) -> String { String(decoding: utf8(of: index), as: UTF8.self) }
}

extension JSONDocument {
  /// Marks of the names of an object, by which most others are known to be absent, and how many names there are.
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

  /// The value of a member of an object, or nil where it has none of that name.
  func member(of object: Int, marks: UInt64 = .max, named name: String) -> Int? {
    var name = name
    return name.withUTF8 { name in
      let end = Int(nodes[object].extent)
      let isHinted = nextName > object && nextName < end && Int(nodes[nextName].parent) == object
      // Whether a member is there, is null and what it holds is asked one after another.
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

  /// The names of an object, as nodes, in the order of the document.
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
