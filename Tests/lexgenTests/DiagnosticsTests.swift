// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import lexgen

@Suite struct DiagnosticsTests {
  /// Definitions with one error each; the sentences are in `Wording/errors.txt` (`make wording` writes it).
  private static let definitions = [
    ##""a": {"type": "strin"}"##,
    ##""a": {}"##,
    ##""a": {"type": "ref", "ref": "#b"}"##,
    ##""a": {"type": "query"}"##,
    ##""a": {"type": "integer", "max": 3}"##,
    ##""a": {"type": "integer", "maximum": "3"}"##,
    ##""a": {"type": "integer", "minimum": 4, "maximum": 3}"##,
    ##""a": {"type": "string", "maxLength": -1}"##,
    ##""a": {"type": "string", "format": "email"}"##,
    ##""a": {"type": "string", "enum": ["x", "x"]}"##,
    ##""a": {"type": "string", "enum": ["x"], "default": "y"}"##,
    ##""a": {"type": "array"}"##,
    ##""a": {"type": "object", "properties": {}, "required": ["b"]}"##,
    ##""a": {"type": "object", "properties": []}"##,
    ##""a": {"type": "array", "items": {"type": "ref", "ref": "#b"}}"##,
    ##""a": {"type": "array", "items": {"type": "ref", "ref": "com.example.other"}}"##,
    ##""a": {"type": "array", "items": {"type": "union", "refs": ["#b"]}}, "b": {"type": "token"}"##,
    ##""a": {"type": "array", "items": {"type": "union", "refs": [], "closed": true}}"##,
    ##""a": {"type": "array", "items": {"type": "ref", "ref": "#main"}}, "main": {"type": "query"}"##,
    ##""main": {"type": "record", "key": "rkey", "record": {"type": "object", "properties": {}}}"##,
    ##""main": {"type": "record", "key": "tid", "record": {"type": "string"}}"##,
    ##""main": {"type": "query", "input": {"encoding": "*/*"}}"##,
    ##""main": {"type": "query", "parameters": {"type": "params", "properties": {"a": {"type": "bytes"}}}}"##,
    ##""main": {"type": "query", "output": {"encoding": "text/csv", "schema": {"type": "object", "properties": {}}}}"##,
    ##""main": {"type": "query", "output": {"encoding": "application/json", "schema": {"type": "integer"}}}"##,
    ##""main": {"type": "query", "errors": [{"name": "No Such"}]}"##,
    ##""main": {"type": "subscription"}"##,
    ##""main": {"type": "permission-set", "permissions": [{"type": "permission", "resource": "moon"}]}"##,
  ]

  @Test func namesTheFaultAndItsPath() throws {
    var catalogue = WordingCatalogue("Wording/errors.txt", beside: #filePath)
    for definitions in Self.definitions {
      let faults = faults(definitions)
      #expect(faults.count == 1, "\(definitions)")
      for fault in faults { catalogue.add(definitions, fault) }
    }
    for fault in faults(##""a": {"type": "token"}, "a": {"type": "token"}"##) {
      catalogue.add("a name that occurs twice", fault)
    }
    for text in ["a.b.c 64", "a.b.c 64 1e3", "a.b.c 0 1", "a.b.c 1 1\na.b.c 1 1", "a.b.c 1 1"] {
      let diagnostics = Diagnostics()
      let bounds = Bounds(text: text, file: "bounds.txt", diagnostics: diagnostics)
      _ = Compiler().compile([], roots: Roots([]), bounds: bounds, diagnostics: diagnostics)
      for fault in diagnostics.all { catalogue.add("bounds of no method", fault) }
    }
    let roots = Diagnostics()
    _ = Compiler().compile([], roots: Roots(text: "com.example.*\n"), diagnostics: roots)
    for fault in roots.all { catalogue.add("a root that fits nothing", fault) }
    #expect(try catalogue.differences() == [])
  }

  @Test func namesAllFaultsOfARun() {
    let all = faults(
      ##""a": {"type": "x"}, "b": {"type": "array", "items": {"type": "y"}}, "c": {"type": "integer", "z": 1}"##
    )
    #expect(all.count == 3)
  }

  @Test func requiresThePathOfADocumentToFitItsName() {
    let diagnostics = Diagnostics()
    let source = #"{"lexicon": 1, "id": "com.example.doc", "defs": {"a": {"type": "token"}}}"#
    let files = Compiler().compile(
      [SourceFile(path: "com/example/other.json", bytes: Array(source.utf8))],
      roots: Roots(["com.example.doc"]),
      diagnostics: diagnostics)
    #expect(files.isEmpty)
    #expect(diagnostics.all.count == 1)
  }

  @Test func aRootThatFitsNothingIsAFault() {
    let diagnostics = Diagnostics()
    _ = Compiler().compile([], roots: Roots(text: "# none\ncom.example.*\n"), diagnostics: diagnostics)
    #expect(diagnostics.all.count == 1)
  }
}
