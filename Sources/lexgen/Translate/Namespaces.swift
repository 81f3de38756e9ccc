// SPDX-License-Identifier: Apache-2.0

/// The enums that contain the generated types, nested like the NSIDs.
struct Namespaces {
  private var children: [(name: String, inner: Namespaces)] = []

  /// Creates the namespaces of documents; a type of a document itself is declared in the document's file.
  init(of nsids: some Sequence<String>) {
    let names = nsids.map { $0.split(separator: ".").map { Naming.type(String($0)) } }
    let documents = Set(names)
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      insert(name.dropLast(), below: [], documents: documents)
    }
  }

  private init() {}

  private mutating func insert(_ path: ArraySlice<String>, below parents: [String], documents: Set<[String]>)
  {
    guard let first = path.first, !documents.contains(parents + [first]) else { return }
    let index: Int
    if let known = children.firstIndex(where: { $0.name == first }) {
      index = known
    } else {
      children.append((first, Namespaces()))
      index = children.endIndex - 1
    }
    children[index].inner.insert(path.dropFirst(), below: parents + [first], documents: documents)
  }

  var file: SwiftFile {
    SwiftFile(name: "Namespaces.swift", origin: nil, declarations: declarations)
  }

  private var declarations: [Member] {
    children.map { name, inner in
      .type(TypeDeclaration(introducer: .enumeration, name: name, members: inner.declarations))
    }
  }
}
