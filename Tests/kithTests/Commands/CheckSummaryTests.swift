// SPDX-License-Identifier: Apache-2.0

import KithClient
import Testing

@testable import KithOperations
@testable import kith

@Suite struct CheckSummaryTests {
  private func message(_ answers: String, isWhole: Bool = true) throws -> Message? {
    var summary = CheckSummary()
    for letter in answers {
      summary.add(try #require(try CheckVerdictTests.Kind(rawValue: letter)?.answer))
    }
    var cost = CallCost()
    cost.calls = 2
    return .summary(of: summary, cost, elapsed: .milliseconds(310), isWhole: isWhole)
  }

  @Test func countsEveryKindOfAnswer() throws {
    let message = try #require(try message("ynsmbfryy"))
    #expect(message.code == "checkSummary" && message.level == .summary)
    #expect(
      message.fields == [
        OutputField("rows", .integer(9)), OutputField("following", .integer(3)),
        OutputField("followedBy", .integer(0)), OutputField("mutual", .integer(0)),
        OutputField("blocked", .integer(0)), OutputField("notFound", .integer(1)),
        OutputField("errors", .integer(3)), OutputField("notListable", .null),
        OutputField("calls", .integer(2)),
        OutputField("milliseconds", .integer(310)), OutputField("stopsEarly", .bool(false)),
        OutputField("interrupted", .bool(false)),
      ])
  }

  @Test(arguments: [("", true), ("y", true), ("f", true), ("", false)])
  func printsNoSummaryForASingleRow(answers: String, isWhole: Bool) throws {
    #expect(try message(answers, isWhole: isWhole) == nil)
  }

  @Test func summarizesAnInterruptedBatch() throws {
    let message = try #require(try message("y", isWhole: false))
    #expect(message.fields.first == OutputField("rows", .integer(1)))
    #expect(message.fields.last == OutputField("interrupted", .bool(true)))
  }
}
