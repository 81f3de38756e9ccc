// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships
import Testing

@testable import kith

@Suite struct CostReportTests {
  private func cost(_ calls: Int, sent: Int, received: Int, time: Duration) -> CallCost {
    var cost = CallCost()
    (cost.calls, cost.bytesSent, cost.bytesReceived, cost.time) = (calls, sent, received, time)
    return cost
  }

  @Test func saysEachMethodAndThenTheWholeInTheOrderOfAPlan() {
    let steps = [
      "b": cost(2, sent: 10, received: 20, time: .milliseconds(90)),
      "a": cost(1, sent: 1, received: 2, time: .milliseconds(20)),
    ]
    var whole = cost(3, sent: 11, received: 22, time: .milliseconds(110))
    (whole.retries, whole.connectionsOpened) = (1, 2)
    #expect(
      CostReport.messages(whole, steps, targets: 1, elapsed: .milliseconds(95)) == [
        .methodCost("a", cost(1, sent: 1, received: 2, time: .milliseconds(20))),
        .methodCost("b", cost(2, sent: 10, received: 20, time: .milliseconds(90))),
        .totalCost(whole, targets: 1, elapsed: .milliseconds(95)),
      ])
    let total = Message.totalCost(whole, targets: nil, elapsed: .milliseconds(95)).fields
    #expect(total.contains(OutputField("bytes", .integer(33))))
    #expect(total.contains(OutputField("targets", .null)))
  }

  @Test func everyStepOfAPlanHasItsCost() {
    var question = CheckPlan.Question()
    (question.dids, question.actorIsHandle) = (60, true)
    let rows = PlanRow.rows(CheckPlan(question))
    #expect(rows.map(\.seconds) == ["0.100", "0.100", "0.200"])
    #expect(rows.map(\.calls) == [1, 2, 3])
    #expect(rows[0].bytes.flatMap { first in rows[1].bytes.map { first + $0 } } == rows[2].bytes)
  }
}
