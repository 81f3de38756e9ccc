// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import lexgen

@Suite struct DiagnosticsTests {
  @Test(arguments: [
    (##""a": {"type": "strin"}"##, "defs.a: the type \"strin\" is not known here"),
    (##""a": {}"##, "defs.a: has no \"type\""),
    (##""a": {"type": "ref", "ref": "#b"}"##, "defs.a: \"ref\" cannot be defined by a name of its own"),
    (##""a": {"type": "query"}"##, "defs.a: a query must be named \"main\""),
    (##""a": {"type": "integer", "max": 3}"##, "defs.a: \"max\" is not known here"),
    (##""a": {"type": "integer", "maximum": "3"}"##, "defs.a.maximum: must be an integer"),
    (##""a": {"type": "integer", "minimum": 4, "maximum": 3}"##, "defs.a: minimum is above maximum"),
    (##""a": {"type": "string", "maxLength": -1}"##, "defs.a.maxLength: must not be negative"),
    (##""a": {"type": "string", "format": "email"}"##, "defs.a.format: the format \"email\" is not known"),
    (##""a": {"type": "string", "enum": ["x", "x"]}"##, "defs.a.enum[1]: \"x\" occurs twice"),
    (
      ##""a": {"type": "string", "enum": ["x"], "default": "y"}"##,
      "defs.a.default: is not among the values of \"enum\""
    ),
    (##""a": {"type": "array"}"##, "defs.a: \"items\" is missing"),
    (
      ##""a": {"type": "object", "properties": {}, "required": ["b"]}"##,
      "defs.a.required: \"b\" is no property"
    ),
    (##""a": {"type": "object", "properties": []}"##, "defs.a.properties: must be an object"),
    (
      ##""a": {"type": "array", "items": {"type": "ref", "ref": "#b"}}"##,
      "defs.a.items.ref: \"com.example.doc#b\" is not defined"
    ),
    (
      ##""a": {"type": "array", "items": {"type": "ref", "ref": "com.example.other"}}"##,
      "defs.a.items.ref: \"com.example.other\" is not defined"
    ),
    (
      ##""a": {"type": "array", "items": {"type": "union", "refs": ["#b"]}}, "b": {"type": "token"}"##,
      "defs.a.items.refs[0]: \"com.example.doc#b\" is no object, so no member of a union"
    ),
    (
      ##""a": {"type": "array", "items": {"type": "union", "refs": [], "closed": true}}"##,
      "defs.a.items: is closed and has no member"
    ),
    (
      ##""a": {"type": "array", "items": {"type": "ref", "ref": "#main"}}, "main": {"type": "query"}"##,
      "defs.a.items.ref: \"com.example.doc\" is not the type of a value"
    ),
    (
      ##""main": {"type": "record", "key": "rkey", "record": {"type": "object", "properties": {}}}"##,
      "defs.main.key: \"rkey\" is no kind of record key"
    ),
    (
      ##""main": {"type": "record", "key": "tid", "record": {"type": "string"}}"##,
      "defs.main.record: must be of type \"object\""
    ),
    (##""main": {"type": "query", "input": {"encoding": "*/*"}}"##, "defs.main: \"input\" is not known here"),
    (
      ##""main": {"type": "query", "parameters": {"type": "params", "properties": {"a": {"type": "bytes"}}}}"##,
      "defs.main.parameters.properties.a: a parameter is a boolean, an integer, a string or an array of these"
    ),
    (
      ##""main": {"type": "query", "output": {"encoding": "text/csv", "schema": {"type": "object", "properties": {}}}}"##,
      "defs.main.output.schema: only a body of application/json can have one"
    ),
    (
      ##""main": {"type": "query", "output": {"encoding": "application/json", "schema": {"type": "integer"}}}"##,
      "defs.main.output.schema: a body is an object, a ref or a union"
    ),
    (
      ##""main": {"type": "query", "errors": [{"name": "No Such"}]}"##,
      "defs.main.errors[0]: an error's name has no white space"
    ),
    (##""main": {"type": "subscription"}"##, "defs.main: \"message\" is missing"),
    (
      ##""main": {"type": "permission-set", "permissions": [{"type": "permission", "resource": "moon"}]}"##,
      "defs.main.permissions[0].resource: the resource \"moon\" is not known"
    ),
  ]) func namesTheFaultAndItsPath(definitions: String, message: String) {
    #expect(faults(definitions) == ["com/example/doc.json: \(message)"])
  }

  @Test func namesAllFaultsOfARun() {
    let all = faults(
      ##""a": {"type": "x"}, "b": {"type": "array", "items": {"type": "y"}}, "c": {"type": "integer", "z": 1}"##
    )
    #expect(all.count == 3)
  }

  @Test func aDocumentStandsWhereItsNameSays() {
    let diagnostics = Diagnostics()
    let source = #"{"lexicon": 1, "id": "com.example.doc", "defs": {"a": {"type": "token"}}}"#
    let files = Compiler().compile(
      [SourceFile(path: "com/example/other.json", bytes: Array(source.utf8))],
      roots: Roots(["com.example.doc"]),
      diagnostics: diagnostics)
    #expect(files.isEmpty)
    #expect(
      diagnostics.all.map(\.description)
        == ["com/example/other.json: com.example.doc must stand in com/example/doc.json"])
  }

  @Test func aRootThatFitsNothingIsAFault() {
    let diagnostics = Diagnostics()
    _ = Compiler().compile([], roots: Roots(text: "# none\ncom.example.*\n"), diagnostics: diagnostics)
    #expect(diagnostics.all.map(\.description) == ["roots.txt: no document fits \"com.example.*\""])
  }
}
