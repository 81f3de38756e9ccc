// SPDX-License-Identifier: Apache-2.0

/// Collects all errors of a set of documents, so that one run reports them all.
///
/// A compilation runs in one task, so a plain class is enough.
final class Diagnostics {
  private(set) var all: [Diagnostic] = []

  var isEmpty: Bool { all.isEmpty }

  func report(_ message: String, file: String, path: String = "") {
    all.append(Diagnostic(file: file, path: path, message: message))
  }
}
