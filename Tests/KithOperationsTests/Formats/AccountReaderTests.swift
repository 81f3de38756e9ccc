// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import Testing

@testable import KithOperations

@Suite struct AccountReaderTests {
  private func accounts(_ text: String) throws -> [TextRecord] {
    let bytes = Array(text.utf8)
    let whole = try records(of: bytes, cutAt: 0, AccountReader(file: "f"))
    for cut in 0...bytes.count {
      #expect(try records(of: bytes, cutAt: cut, AccountReader(file: "f")) == whole)
    }
    return whole
  }

  private let expected = [TextRecord(text: "bob.test", line: 2), TextRecord(text: "carol.test", line: 3)]

  @Test func readsALineForEachAccount() throws {
    #expect(try accounts("\nbob.test\r\ncarol.test") == expected)
    #expect(try accounts("\n \n") == [])
  }

  @Test(arguments: [",", ";", "\t", "|"])
  func readsTheColumnThatNamesAccounts(separator: String) throws {
    let text = "\u{FEFF}note;Handle\nfriend;bob.test\n\"a;b\";@carol.test\n"
    let found = try accounts(text.replacing(";", with: separator))
    #expect(found.map(\.text) == ["bob.test", "@carol.test"])
    #expect(found.map(\.line) == [2, 3])
  }

  @Test func readsTheSeparatorThatASpreadsheetWritesAboveTheHeader() throws {
    #expect(try accounts("sep=;\nHandle;note\nbob.test;a,b\n").map(\.text) == ["bob.test"])
  }

  @Test func readsAnArrayOfJSON() throws {
    let text =
      #"[{"did":null,"handle":"bob.test"},\#n"carol.test",{"target":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"}]"#
    #expect(try accounts(text).map(\.text) == ["bob.test", "carol.test", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"])
  }

  @Test(arguments: [
    (#"{"did":null,"handle":"bob.test"}"#, "bob.test"), (#"{"did":"","handle":"bob.test"}"#, "bob.test"),
    (#"{"target":null,"input":"bob.test"}"#, "bob.test"), (#"{"subject":{"handle":"bob.test"}}"#, "bob.test"),
    ("\u{FEFF}bob.test", "bob.test"), ("\u{FEFF}{\"handle\":\"bob.test\"}", "bob.test"),
  ])
  func readsTheFirstMemberThatNamesAnAccount(line: String, name: String) throws {
    for text in [line, "{\"did\":\"x\"}\n\(line)\n"] {
      let question = try #require(try accounts(text).last?.question(in: "f"))
      #expect(question.target == .handle(try Handle(parsing: name)))
    }
  }

  /// Such as the numbers among the rows of the statistics.
  @Test func aRowAboutNoAccountIsSkipped() throws {
    let rows = #"{"key":"likely","did":null,"handle":null}"# + "\n" + #"{"did":null}"# + "\n"
    #expect(try accounts(rows).allSatisfy { $0.question(in: "f") == nil })
    let found = try accounts(rows + #"{"key":"label","did":null,"handle":"bob.test"}"#)
    #expect(found.compactMap { $0.question(in: "f")?.target } == [.handle(try Handle(parsing: "bob.test"))])
  }

  @Test(arguments: [#"{"title":"bob.test"}"#, #"{"handle":null}"#, #"[{"handle":""}]"#])
  func aValueWithoutAnAccountIsReported(text: String) throws {
    let found = try accounts(text)
    #expect(found.count == 1)
    #expect(found.allSatisfy { if case .unreadable = $0.question(in: "f")?.target { true } else { false } })
  }

  /// As a table with a column of row numbers has it.
  @Test func keepsAnEmptyFirstHeaderCell() throws {
    #expect(try accounts("\n\tfollower\thandle\n0\terin.test\tbob.test\n").map(\.text) == ["bob.test"])
  }

  @Test func takesAFirstAccountForNoHeader() throws {
    #expect(try accounts("user.name\nbob.test\n").map(\.text) == ["user.name", "bob.test"])
    #expect(try accounts("bob.test\t\ncarol.test\n").map(\.text) == ["bob.test", "carol.test"])
  }

  @Test func namesTheColumnsOfATableInWhichNoneIsKnown() {
    #expect(throws: OperationError.noAccountColumn(file: "f", columns: ["Who?", "When"])) {
      try accounts("Who?,When\nbob.test,now\n")
    }
  }
}
