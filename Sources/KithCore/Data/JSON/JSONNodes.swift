// SPDX-License-Identifier: Apache-2.0

/// A growing array of nodes without the checks of `Array`, because appending nodes is most of the cost of
/// parsing. The owner must deallocate it.
struct JSONNodes {
  private var storage: UnsafeMutableBufferPointer<JSONNode>
  private(set) var count = 0

  init(capacity: Int) { storage = .allocate(capacity: max(capacity, 1)) }

  var all: UnsafeMutableBufferPointer<JSONNode> { UnsafeMutableBufferPointer(rebasing: storage[..<count]) }

  subscript(index: Int) -> JSONNode {
    @inline(__always) get {
      assert(index < count)
      return storage[index]
    }
    @inline(__always) set {
      assert(index < count)
      storage[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ node: JSONNode) {
    if count == storage.count { grow() }
    storage.initializeElement(at: count, to: node)
    count += 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutableBufferPointer<JSONNode>.allocate(capacity: storage.count * 2)
    _ = larger.moveInitialize(fromContentsOf: storage)
    storage.deallocate()
    storage = larger
  }

  func deallocate() { storage.deallocate() }
}
