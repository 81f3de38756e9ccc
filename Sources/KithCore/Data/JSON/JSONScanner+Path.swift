// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// The path to the position at which scanning stopped: names and indexes of all open containers.
  var path: [JSONPathKey] {
    guard container != JSONNode.none else { return [] }
    var path: [JSONPathKey] = []
    if nodes[Int(container)].kind == .array {
      path.append(.index(Int(element)))
    } else if !isAtName {
      path.append(.name(name(repeatedName ?? lastName(in: Int(container)))))
    }
    var child = Int(container)
    while nodes[child].parent != JSONNode.none {
      let parent = Int(nodes[child].parent)
      let isElement = nodes[parent].kind == .array
      path.append(isElement ? .index(nodes[child].position) : .name(name(child - 1)))
      child = parent
    }
    return path.reversed()
  }

  private func lastName(in object: Int) -> Int {
    var last = object + 1
    while last + 1 < nodes.count {
      let next = name(after: last)
      guard next < nodes.count else { break }
      last = next
    }
    return last
  }

  private func name(_ index: Int) -> String { String(decoding: text(of: index), as: UTF8.self) }
}
