// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithOperations

@Suite struct PreviousRunReaderTests {
  private func row(_ state: String, target: String? = nil, input: String? = nil, actor: Int = 1) -> String {
    func json(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
    return "{\"actor\":\"\(Accounts.did(actor))\",\"target\":\(json(target)),\"input\":\(json(input)),"
      + "\"state\":\"\(state)\",\"following\":null,\"more\":[1]}"
  }

  private func questions(
    _ lines: [String], actor: DID? = Accounts.did(1), endsWithin: Bool = false
  ) throws -> [RelationshipQuestion] {
    var output = PreviousRunReader(file: "rows", actor: actor)
    var questions: [RelationshipQuestion] = []
    for (position, line) in lines.enumerated() {
      let record = TextRecord(text: line, line: position + 1)
      let isLast = endsWithin && position == lines.count - 1
      if let question = try output.question(in: record, isLast: isLast) { questions.append(question) }
    }
    return questions
  }

  @Test func onlyFailedRowsAreRepeated() throws {
    let two = Accounts.did(2)
    let lines = [
      row("known", target: "\(two)"), row("self"), row("notFound", input: "nobody.test"),
      row("error", target: "\(two)", input: "bob.test"), row("error", input: "@carol.test"),
    ]
    #expect(
      try questions(lines) == [
        RelationshipQuestion(input: "bob.test", target: .did(two)),
        RelationshipQuestion(typed: "@carol.test"),
      ])
  }

  @Test func rowsAboutAnotherActorAreRejectedOnceTheActorIsKnown() throws {
    let lines = [row("known", actor: 2)]
    #expect(
      throws: OperationError.actorMismatch(Accounts.did(2), at: "rows:1", asked: Accounts.did(1))
    ) { try questions(lines) }
    #expect(try questions(lines, actor: nil).isEmpty)
  }

  @Test(arguments: [
    "x", "{}", "null", "{\"actor\":\"x\",\"target\":null,\"input\":null,\"state\":\"known\"}",
    "{\"actor\":\"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa\",\"state\":\"new\"}", "\u{FFFD}",
  ])
  func anInvalidLineIsReportedAndTheRestIsRead(line: String) throws {
    let found = try questions([row("known"), line, row("error", input: "bob.test")])
    #expect(found.count == 2)
    guard case .unreadable(let error) = found[0].target else {
      Issue.record("\(found[0]) should not name an account")
      return
    }
    #expect(error.place == "rows:2")
    #expect(found[1].input == "bob.test")
  }

  @Test func aTruncatedRowIsReported() throws {
    let whole = row("error", input: "bob.test")
    for length in 1..<whole.utf8.count {
      let found = try questions([row("known"), String(whole.prefix(length))], endsWithin: true)
      guard case .unreadable(let error)? = found.first?.target else {
        Issue.record("a row of \(length) bytes should not name an account")
        return
      }
      #expect(error.place == "rows:2")
      #expect(error.text.utf8.count < 70)
    }
    #expect(try questions([whole], endsWithin: true).map(\.input) == ["bob.test"])
  }

  @Test(arguments: [
    ("[{\"actor\":", "a JSON array"), (RelationshipRow.fieldNames.joined(separator: ","), "CSV"),
    ("TARGET    FOLLOWS  BLOCKS", "a table"),
  ])
  func otherFormatsAreRejectedWithAHint(line: String, format: String) throws {
    let error = #expect(throws: OperationError.self) { try questions([line]) }
    #expect(error?.kind == .invalidInput && error?.code == .notNDJSON)
    #expect(error?.format?.rawValue == format)
  }
}
