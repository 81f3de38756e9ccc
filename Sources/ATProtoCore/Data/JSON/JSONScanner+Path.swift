// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// The path to where reading stopped: the names and positions of all that is open.
  var path: [JSONPathKey] {
    guard container != JSONNode.none else { return [] }
    var path: [JSONPathKey] = []
    if nodes[Int(container)].kind == .array {
      path.append(.index(Int(element)))
    } else if let name = innermostName {
      path.append(.name(text(of: name)))
    }
    var child = Int(container)
    while nodes[child].parent != JSONNode.none {
      let parent = Int(nodes[child].parent)
      let isElement = nodes[parent].kind == .array
      path.append(isElement ? .index(nodes[child].position) : .name(text(of: child - 1)))
      child = parent
    }
    return path.reversed()
  }

  private var innermostName: Int? {
    switch faultyName {
    case .node(let index): return index
    case .next: return nil
    case .last:
      var name: Int?
      var index = Int(container) + 1
      while index < nodes.count {
        name = index
        guard index + 1 < nodes.count else { break }
        let value = nodes[index + 1]
        index = value.isContainer ? Int(value.extent) : index + 2
      }
      return name
    }
  }

  private func text(of name: Int) -> String { withText(of: name) { String(decoding: $0, as: UTF8.self) } }
}
