// SPDX-License-Identifier: Apache-2.0

/// One fault of a lexicon document.
struct Diagnostic: Hashable, CustomStringConvertible {
  /// The document's file, relative to the folder that was compiled.
  let file: String
  /// Property names from the document's root, joined by dots: `defs.main.record`; empty for the whole.
  let path: String
  let message: String

  var description: String { path.isEmpty ? "\(file): \(message)" : "\(file): \(path): \(message)" }
}
