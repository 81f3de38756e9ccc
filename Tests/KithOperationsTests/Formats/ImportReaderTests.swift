// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

@Suite struct ImportReaderTests {
  private func rows(_ text: String, column: String? = nil, cutAt cut: Int? = nil) throws -> [ImportRow] {
    var reader = ImportReader(file: "f", column: column)
    let bytes = Array(text.utf8)
    let cut = cut ?? bytes.count
    return try reader.received(Array(bytes[..<cut])) + reader.received(Array(bytes[cut...])) + reader.ended()
  }

  private func accounts(_ text: String, column: String? = nil) throws -> [String?] {
    try rows(text, column: column).map(\.account)
  }

  @Test(arguments: [
    "a.test\nb.test\n", "\u{FEFF}\n\na.test \r\nb.test", "handle\na.test\nb.test",
    "Name,Handle\nA,a.test\nB,b.test\n", "Profile URL;x\na.test;1\nb.test;2",
    "user_handle\tx\na.test\t\nb.test",
    "[\"a.test\",\"b.test\"]", #"[{"handle":"a.test"},{"handle":"b.test","n":0.5}]"#,
    "{\"did\":\"a.test\"}\n{\"subject\":\"b.test\"}\n", #"{"subject":{"handle":"a.test"}} {"url":"b.test"}"#,
    #"{"subject":{"did":"me.test","handle":"me.test"},"follows":[{"did":"a.test"},{"did":"b.test"}]}"#,
    #"{"list":{"uri":"at://x/y/z"},"items":[{"uri":"u","subject":{"did":"a.test"}},{"subject":{"did":"b.test"}}]}"#,
    #"{"cursor":"x","follows":[{"did":"a.test","labels":[]},{"did":"b.test"}]}"#,
    "[\n  {\n    \"target\": \"a.test\",\n    \"x\": [1, {\"y\": \"]\\\"}\"}]\n  },\n  {\"profile\": \"b.test\"}\n]\n",
    "actor,target,handle\nme.test,a.test,x.test\nme.test,,b.test\n", "actor,when\na.test,1\nb.test,2\n",
    "did,handle\n,'a.test\n\" \",\"b.test\"\n", "\n\n,handle\n,a.test\n,b.test",
  ])
  func commonFileFormatsGiveTheSameAccounts(text: String) throws {
    #expect(try accounts(text).map { $0?.trimmingPrefix("'") } == ["a.test", "b.test"])
    let whole = try rows(text)
    for cut in 0...text.utf8.count { #expect(try rows(text, cutAt: cut) == whole) }
  }

  @Test func exportedRowsKeepTheirKindInEveryFormat() throws {
    let list = "at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.graph.list/3a"
    let csv = """
      kind,did,handle,displayName,list,name,purpose,description,since,record
      follow,did:plc:b,b.test,Bob,,,,,,
      list,,,,\(list),"'=1+1, "" ",mod,"two
      lines ",2026-01-01T00:00:00Z,\(list)
      member,did:plc:b,,,\(list),,,,,
      """
    let json = """
      [{"kind":"follow","did":"did:plc:b","handle":"b.test","list":null,"record":null},
      {"kind":"list","did":null,"list":"\(list)","name":"=1+1, \\" ","purpose":"mod","description":"two\\nlines "},
      {"kind":"member","did":"did:plc:b","list":"\(list)"}]
      """
    for text in [csv, json] {
      let rows = try rows(text)
      #expect(rows.map(\.kind) == ["follow", "list", "member"])
      #expect(rows.map(\.account) == ["did:plc:b", nil, "did:plc:b"])
      #expect(rows.map(\.list) == [nil, list, list])
      #expect(rows[1].name == "=1+1, \" " && rows[1].description == "two\nlines " && rows[1].purpose == "mod")
    }
    #expect(try rows(csv).map(\.line) == [2, 3, 5])
    #expect(try rows(json).map(\.line) == [1, 2, 3])
  }

  @Test func repositoryRecordsBecomeRowsByType() throws {
    let answer = """
      {"records":[
        {"uri":"at://did:plc:a/app.bsky.graph.follow/1","cid":"c","value":{"$type":"app.bsky.graph.follow","subject":"did:plc:b"}},
        {"uri":"at://did:plc:a/app.bsky.graph.list/2","value":{"$type":"app.bsky.graph.list","name":"N",
          "purpose":"app.bsky.graph.defs#modlist"}},
        {"uri":"at://did:plc:a/app.bsky.graph.listitem/3","value":{"$type":"app.bsky.graph.listitem",
          "subject":"did:plc:b","list":"at://did:plc:a/app.bsky.graph.list/2"}},
        {"uri":"at://did:plc:a/app.bsky.graph.listblock/4","value":{"$type":"app.bsky.graph.listblock",
          "subject":"at://did:plc:c/app.bsky.graph.list/5"}}
      ],"cursor":"3"}
      """
    let found = try rows(answer)
    #expect(
      found.map(\.kind) == ["follow", "list", "listitem", "listblock"].map { "app.bsky.graph.\($0)" })
    #expect(found.map(\.account) == ["did:plc:b", nil, "did:plc:b", nil])
    #expect(found[3].list == "at://did:plc:c/app.bsky.graph.list/5")
    #expect(found[1].list == "at://did:plc:a/app.bsky.graph.list/2" && found[2].list == found[1].list)
  }

  @Test func anEmptyListInAResponseGivesNoRows() throws {
    #expect(try rows(#"{"subject":{"did":"did:plc:a"},"follows":[]}"#).isEmpty)
    #expect(try accounts(#"{"subject":{"did":"did:plc:a"},"x":["a.test"],"y":["b.test"]}"#) != ["did:plc:a"])
  }

  @Test func aFileOfBlanksIsRejected() throws {
    var reader = ImportReader(file: "f")
    var pieces = 0
    #expect(throws: OperationError.self) {
      while pieces < 100 {
        _ = try reader.received(Array(repeating: 0, count: 16_384))
        pieces += 1
      }
    }
    #expect(pieces < 10)
  }

  @Test func onlyTheNamedColumnIsUsed() throws {
    #expect(try accounts("did,who\ndid:plc:a,b.test\n", column: "WHO") == ["b.test"])
    #expect(throws: OperationError.noColumn("x", file: "f", columns: ["did", "who"])) {
      try accounts("did,who\n", column: "x")
    }
  }

  @Test func aFileWithoutAccountsIsRejected() throws {
    #expect(throws: OperationError.noAccountColumn(file: "f", columns: ["a.test", "Alice"])) {
      try rows("a.test,Alice\n")
    }
    #expect(throws: OperationError.unclosedJSON(file: "f", line: 2)) {
      try rows("[\"a.test\",\n{\"did\":\n")
    }
    #expect(throws: OperationError.unclosedQuote(file: "f", line: 2)) {
      try rows("did,x\n\"a,b\n")
    }
    #expect(try rows("").isEmpty && rows(" \n\t\n").isEmpty && rows("[]").isEmpty && rows("did,x\n").isEmpty)
  }

  /// An array inside an element of an array is a detail of it, not the answer of a server.
  @Test(arguments: [
    (#"[{"title":"","list_data":[],"data":[{"value":"a.test"}]}]"#, [1]),
    (
      "{\"following\":[\n{\"title\":\"a.test\",\"data\":[{\"value\":\"b\"}]},\n{\"title\":\"\",\"data\":[]}]}",
      [2, 3]
    ),
    (#"[{"data":["a.test"]}]"#, [1]), (#"[[]]"#, [1]), (#"[["a.test"]]"#, [1]), (#"{"data":[]}"#, [1]),
    ("[{\"did\":\"a\",\"did\":\"b\"},\n{\"did\":null,\"handle\":\"\"}]", [1, 2]),
  ])
  func noElementWithoutAnAccountIsDropped(text: String, lines: [Int]) throws {
    let found = try rows(text)
    #expect(found.map(\.line) == lines)
    #expect(found.allSatisfy { $0.isUnreadable })
    for cut in 0...text.utf8.count { #expect(try rows(text, cutAt: cut) == found) }
  }

  @Test func nullAndEmptyMembersAreAbsent() throws {
    #expect(
      try accounts(#"{"did":null,"handle":"a.test"} {"did":"","subject":" ","handle":"b.test"}"#)
        == ["a.test", "b.test"])
    #expect(try accounts(#"[{"subject":{"did":"","handle":"a.test"},"x":[1]}]"#) == ["a.test"])
  }

  @Test(arguments: [
    ("handle\n\"bob.te\"st\n", OperationError.textBesideQuotes(file: "f", line: 2)),
    ("handle,note\nbob.test,\"a\"b\n", .textBesideQuotes(file: "f", line: 2)),
    ("note,handle\n \"a,b\",bob.test\n", .textBesideQuotes(file: "f", line: 2)),
    ("handle\n\nbob.test,carol.test\n", .tooManyCells(file: "f", line: 3, columns: 1)),
    ("handle,\"note\nbob.test,\n", .unclosedQuote(file: "f", line: 1)),
    ("Handle,note,handle\nbob.test,,carol.test\n", .repeatedColumn("Handle", file: "f")),
  ])
  func aTableThatCanBeReadInTwoWaysIsRejected(text: String, error: OperationError) {
    for column in [nil, "handle"] {
      #expect(throws: error) { try rows(text, column: column) }
    }
  }

  @Test func quotesAroundAWholeCellMayHaveBlanksBehindThem() throws {
    #expect(
      try accounts("handle,note\n\"bob.test\" ,5\" disk\n\"carol.test\"\r\n,,,\n") == [
        "bob.test", "carol.test",
      ])
  }

  /// An invalid element is reported like an invalid account name.
  @Test(arguments: ["[1]", #"{"x":1}"#, #"[{"did":}]"#, #"{"a":["x.test"],"b":["y.test"]}"#, "[[]]]"])
  func invalidElementsAreReportedByTheirText(text: String) throws {
    let found = try rows(text)
    #expect(found.count == 1 || text == "[[]]]")
    #expect(found.allSatisfy { $0.account.map { !$0.contains("test\"") || $0.hasPrefix("{") } ?? false })
  }

  @Test func aTooLongElementIsRejectedBeforeItsEnd() throws {
    var reader = ImportReader(file: "f")
    let piece = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
    _ = try reader.received(Array("[\"".utf8))
    #expect(throws: OperationError.elementTooLong(file: "f", line: 1)) {
      for _ in 0..<5 { _ = try reader.received(piece) }
    }
  }
}
