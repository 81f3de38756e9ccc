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
      CostReport.lines(whole, steps, targets: 1, elapsed: .milliseconds(95)) == [
        "a: 1 call, 3 bytes, 0.020 s each", "b: 2 calls, 30 bytes, 0.045 s each",
        "total: 3 calls (1 repeated), 1 target, 33 bytes (11 sent, 22 received), 0.095 s, 2 connections",
      ])
    #expect(
      CostReport.lines(CallCost(), [:], targets: nil, elapsed: .zero) == [
        "total: 0 calls (0 repeated), 0 bytes (0 sent, 0 received), 0.000 s, 0 connections"
      ])
  }

  @Test func aPlanSaysWhatItIsReckonedWith() {
    var question = CheckPlan.Question()
    question.dids = 30
    #expect(
      PlanRow.remark(CheckPlan(question), concurrency: 4)
        == "reckoned with 4 calls at once, 0.100 s a call and no rate limit, for none is known")
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
