// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import lexgen

/// Compiles one document `com.example.doc` and returns the contents of its namespace, unindented by one
/// level.
func snippet(_ definitions: String) throws -> String {
  let source = #"{"lexicon": 1, "id": "com.example.doc", "defs": {\#(definitions)}}"#
  let diagnostics = Diagnostics()
  let files = Compiler().compile(
    [SourceFile(path: "com/example/doc.json", bytes: Array(source.utf8))], roots: Roots(["com.example.doc"]),
    diagnostics: diagnostics)
  try #require(diagnostics.all.isEmpty, "\(diagnostics.all)")
  let text = try #require(files.first { $0.name == "com.example.doc.swift" }?.text)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  let start = try #require(lines.firstIndex(of: "extension Com.Example {"))
  let inner = lines[(start + 1)...].prefix { $0 != "}" }
  return inner.map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0) }.joined(separator: "\n")
}

/// Returns lexgen's errors about one document `com.example.doc`.
func faults(_ definitions: String) -> [String] {
  let source = #"{"lexicon": 1, "id": "com.example.doc", "defs": {\#(definitions)}}"#
  let diagnostics = Diagnostics()
  _ = Compiler().compile(
    [SourceFile(path: "com/example/doc.json", bytes: Array(source.utf8))], roots: Roots(["com.example.doc"]),
    diagnostics: diagnostics)
  return diagnostics.all.map(\.description)
}
