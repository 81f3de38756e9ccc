// SPDX-License-Identifier: Apache-2.0

/// The documents to generate: NSIDs, and prefixes such as `app.bsky.graph.*`.
struct Roots {
  private let patterns: [String]

  init(_ patterns: [String]) { self.patterns = patterns }

  /// Parses one pattern per line; `#` starts a comment.
  init(text: String) {
    patterns = text.split(whereSeparator: \.isNewline).compactMap { line in
      let pattern = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
      return pattern.isEmpty ? nil : pattern
    }
  }

  /// Returns the matching documents, in order; a pattern that matches none is reported.
  func documents(of library: Library, file: String, diagnostics: Diagnostics) -> [LexiconDocument] {
    var names: Set<String> = []
    for pattern in patterns {
      let fitting =
        pattern.hasSuffix(".*")
        ? library.documents.keys.filter { $0.hasPrefix(pattern.dropLast()) }
        : library.documents.keys.filter { $0 == pattern }
      if fitting.isEmpty { diagnostics.report("no document matches \"\(pattern)\"", file: file) }
      names.formUnion(fitting)
    }
    return names.sorted().compactMap { library.documents[$0] }
  }
}
