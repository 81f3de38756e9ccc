// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// Refuses the object that ends here where a name occurs twice in it, also when it is escaped differently.
  @inline(__always)
  mutating func refuseRepeatedNames() throws(JSONFault) {
    let object = Int(container)
    // Names of different marks differ; so two of one mark are compared, and most objects have none.
    var seen: UInt64 = 0
    var count = 0
    var isAmbiguous = false
    var index = object + 1
    while index < nodes.count {
      let bit: UInt64 = 1 << UInt64(nodes[index].tag >> 4 & 63)
      isAmbiguous = isAmbiguous || seen & bit != 0
      seen |= bit
      count += 1
      let value = nodes[index + 1]
      index = value.isContainer ? Int(value.extent) : index + 2
    }
    if isAmbiguous { try compareNames(of: object, count: count) }
  }

  private mutating func compareNames(of object: Int, count: Int) throws(JSONFault) {
    var names: [Int] = []
    names.reserveCapacity(count)
    var index = object + 1
    while index < nodes.count {
      names.append(index)
      let value = nodes[index + 1]
      index = value.isContainer ? Int(value.extent) : index + 2
    }
    // Sorted, for an object of a million names must not take their square.
    names.sort { left, right in
      if nodes[left].tag != nodes[right].tag { return nodes[left].tag < nodes[right].tag }
      let order = self.order(left, right)
      return order == 0 ? left < right : order < 0
    }
    var repeated: Int?
    for (left, right) in zip(names, names.dropFirst())
    where nodes[left].tag == nodes[right].tag && order(left, right) == 0 {
      repeated = min(repeated ?? right, right)
    }
    if let repeated {
      faultyName = .node(repeated)
      let name = withText(of: repeated) { String(decoding: $0, as: UTF8.self).shortened(toBytes: 64) }
      throw JSONFault("the name \"\(name)\" a second time", at: Int(nodes[repeated].offset) - 1)
    }
  }

  /// Below zero, zero, above zero: how two names sort by their bytes.
  private func order(_ left: Int, _ right: Int) -> Int {
    withText(of: left) { left in
      withText(of: right) { right in
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
          return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
      }
    }
  }

  func withText<Value>(of index: Int, _ read: (UTF8Bytes) -> Value) -> Value {
    withText(at: Int(nodes[index].offset), Int(nodes[index].extent), read)
  }
}
