// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A location in a document: its value, its path, and where to report errors.
struct Node {
  let value: OrderedJSON
  let path: String
  let source: Source

  /// The state shared by all nodes of one document.
  struct Source {
    let file: String
    /// The document's NSID, to which `#name` refers; empty until it is known.
    let nsid: String
    let diagnostics: Diagnostics
  }

  func report(_ message: String) {
    source.diagnostics.report(message, file: source.file, path: path)
  }

  func child(_ name: String, _ value: OrderedJSON) -> Node {
    Node(value: value, path: path.isEmpty ? name : "\(path).\(name)", source: source)
  }

  func string() -> String? {
    if case .string(let text) = value { return text }
    report("must be a string")
    return nil
  }

  func integer() -> Int? {
    if case .integer(let number) = value { return Int(number) }
    report("must be an integer")
    return nil
  }

  func boolean() -> Bool? {
    if case .boolean(let flag) = value { return flag }
    report("must be true or false")
    return nil
  }

  func elements() -> [Node]? {
    guard case .array(let values) = value else {
      report("must be an array")
      return nil
    }
    return values.enumerated().map { index, value in
      Node(value: value, path: "\(path)[\(index)]", source: source)
    }
  }

  /// Returns the strings of an array without duplicates.
  func strings() -> [String]? {
    guard let nodes = elements() else { return nil }
    var strings: [String] = []
    for node in nodes {
      guard let text = node.string() else { return nil }
      if strings.contains(text) { node.report("\"\(text)\" occurs twice") }
      strings.append(text)
    }
    return strings
  }

  /// Returns the members of an object with arbitrary names, in document order.
  func members() -> [(name: String, node: Node)]? {
    guard case .object(let members) = value else {
      report("must be an object")
      return nil
    }
    return members.map { ($0.name, child($0.name, $0.value)) }
  }
}
