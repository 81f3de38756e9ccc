// SPDX-License-Identifier: Apache-2.0

/// An error in a lexicon document.
struct Diagnostic: Hashable, CustomStringConvertible {
  /// The document's file, relative to the compiled folder.
  let file: String
  /// The property names from the document's root, joined by dots: `defs.main.record`; empty for the whole
  /// document.
  let path: String
  let message: String

  var description: String { path.isEmpty ? "\(file): \(message)" : "\(file): \(path): \(message)" }
}
