// SPDX-License-Identifier: Apache-2.0

/// The full name of a definition: the document's NSID and the name inside it, `main` for the document itself.
struct DefinitionID: Hashable, Comparable, CustomStringConvertible {
  let nsid: String
  let name: String

  init(nsid: String, name: String) {
    self.nsid = nsid
    self.name = name
  }

  /// Parses a reference in a document: `nsid`, `nsid#name` or `#name`.
  init(reference: String, in nsid: String) {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    self.nsid = parts[0].isEmpty ? nsid : String(parts[0])
    name = parts.count > 1 ? String(parts[1]) : "main"
  }

  var isMain: Bool { name == "main" }

  /// The form used by `$type`: without `#main`.
  var description: String { isMain ? nsid : "\(nsid)#\(name)" }

  static func < (left: DefinitionID, right: DefinitionID) -> Bool {
    (left.nsid, left.name) < (right.nsid, right.name)
  }
}
