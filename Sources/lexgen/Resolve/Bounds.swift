// SPDX-License-Identifier: Apache-2.0

/// The maximum sizes of the responses of methods, which the lexicons do not have.
struct Bounds {
  /// The maximum size of a response.
  struct Size: Hashable {
    let kibibytes: Int
    /// Values and names in the JSON.
    let nodes: Int
  }

  private var sizes: [String: Size] = [:]

  /// Creates an empty set: every method is unbounded.
  init() {}

  /// Parses one method per line: its NSID, the KiB and the nodes. `#` starts a comment.
  init(text: String, file: String, diagnostics: Diagnostics) {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      if words.isEmpty { continue }
      guard words.count == 3, let kibibytes = Int(words[1]), let nodes = Int(words[2]),
        kibibytes > 0, nodes > 0
      else {
        diagnostics.report("\"\(line)\" is not an NSID, a number of KiB and a number of nodes", file: file)
        continue
      }
      if sizes.updateValue(Size(kibibytes: kibibytes, nodes: nodes), forKey: String(words[0])) != nil {
        diagnostics.report("\"\(words[0])\" occurs twice", file: file)
      }
    }
  }

  subscript(_ nsid: String) -> Size? { sizes[nsid] }

  /// Reports each name that is not a query or procedure.
  func check(against library: Library, file: String, diagnostics: Diagnostics) {
    for nsid in sizes.keys.sorted() {
      if case .method(let method)? = library[DefinitionID(nsid: nsid, name: "main")],
        method.kind != .subscription
      {
        continue
      }
      diagnostics.report("no query or procedure is named \"\(nsid)\"", file: file)
    }
  }
}
