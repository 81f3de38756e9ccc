// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// One lexicon document, parsed and checked on its own; ``Library`` checks its references.
struct LexiconDocument {
  let nsid: String
  /// The path of the file below the folder of lexicons.
  let file: String
  let definitions: [(name: String, definition: Definition)]

  /// Parses a document; nil if it is not one at all. All errors are reported.
  init?(_ value: OrderedJSON, file: String, diagnostics: Diagnostics) {
    let outer = Node(
      value: value, path: "", source: Node.Source(file: file, nsid: "", diagnostics: diagnostics))
    guard let head = Fields(outer, required: ["lexicon", "id", "defs"], optional: ["revision"]),
      let version = head.integer("lexicon"), let nsid = head.string("id")
    else { return nil }
    if version != 1 { head["lexicon"]?.report("version \(version) of the language is not supported, only 1") }
    do {
      _ = try NSID(parsing: nsid)
    } catch {
      head["id"]?.report(error.description)
      return nil
    }
    self.nsid = nsid
    self.file = file
    let root = Node(
      value: value, path: "", source: Node.Source(file: file, nsid: nsid, diagnostics: diagnostics))
    guard
      let members = Fields(root, required: ["defs"], optional: ["lexicon", "id", "revision"])?["defs"]?
        .members()
    else { return nil }
    if members.isEmpty { head["defs"]?.report("defines nothing") }
    definitions = members.compactMap { name, node in
      Definition(node, isMain: name == "main").map { (name, $0) }
    }
  }

  /// Returns the path that a document must have.
  static func path(of nsid: String) -> String {
    nsid.split(separator: ".").joined(separator: "/") + ".json"
  }
}
