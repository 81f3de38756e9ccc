// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// The number of names in an object that are compared as they come. The names of a larger object are sorted
  /// at its end, so that a million names do not take quadratic time.
  static let mostNamesCompared = 64

  /// Rejects the name just read if the object has it already, even if it was escaped differently.
  @inline(__always)
  mutating func checkName() throws(JSONFault) {
    let mark = nodes[nodes.count - 1].mark
    let isNew = marks & mark == 0
    marks |= mark
    if isNew || element >= Self.mostNamesCompared { return }
    try compareName()
  }

  private func compareName() throws(JSONFault) {
    let last = nodes.count - 1
    var index = Int(container) + 1
    while index < last {
      if nodes[index].tag == nodes[last].tag, text(of: index).isSame(as: text(of: last)) {
        throw repetition(of: last)
      }
      index = name(after: index)
    }
  }

  private func repetition(of name: Int) -> JSONFault {
    let text = String(decoding: text(of: name), as: UTF8.self).shortened(toBytes: 64)
    return JSONFault(.repeatedName, at: Int(nodes[name].offset) - 1, name: text)
  }

  /// Returns the node of the next name in an object.
  @inline(__always)
  func name(after name: Int) -> Int {
    let value = nodes[name + 1]
    return value.isContainer ? Int(value.extent) : name + 2
  }

  /// Returns the text of a name.
  func text(of name: Int) -> UTF8Bytes { text(at: Int(nodes[name].offset), Int(nodes[name].extent)) }

  /// Rejects the object that ends here if it has a duplicate name.
  mutating func refuseRepeatedNames() throws(JSONFault) {
    var names: [Int] = []
    var index = Int(container) + 1
    while index < nodes.count {
      names.append(index)
      index = name(after: index)
    }
    names.sort { left, right in
      if nodes[left].tag != nodes[right].tag { return nodes[left].tag < nodes[right].tag }
      let order = order(left, right)
      return order == 0 ? left < right : order < 0
    }
    var repeated: Int?
    for (left, right) in zip(names, names.dropFirst())
    where nodes[left].tag == nodes[right].tag && order(left, right) == 0 {
      repeated = min(repeated ?? right, right)
    }
    if let repeated {
      repeatedName = repeated
      throw repetition(of: repeated)
    }
  }

  /// Compares two names by their bytes: negative, zero or positive.
  private func order(_ left: Int, _ right: Int) -> Int {
    let left = text(of: left)
    let right = text(of: right)
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return Int(left[index]) - Int(right[index])
    }
    return left.count - right.count
  }
}
