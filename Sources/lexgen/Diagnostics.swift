// SPDX-License-Identifier: Apache-2.0

/// Collects everything that is wrong with a set of documents, so that one run names it all.
///
/// One compilation is one task, so a plain class is enough.
final class Diagnostics {
  private(set) var all: [Diagnostic] = []

  var isEmpty: Bool { all.isEmpty }

  func report(_ message: String, file: String, path: String = "") {
    all.append(Diagnostic(file: file, path: path, message: message))
  }
}
