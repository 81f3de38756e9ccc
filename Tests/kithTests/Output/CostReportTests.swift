// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

@Suite struct CostReportTests {
  private func cost(_ calls: Int, sent: Int, received: Int, time: Duration) -> CallCost {
    var cost = CallCost()
    (cost.calls, cost.bytesSent, cost.bytesReceived, cost.time) = (calls, sent, received, time)
    return cost
  }

  @Test func printsEachMethodThenTheTotalInTheOrderOfAPlan() {
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

  /// A person who reads a plan for a minute does not make the change slow.
  @Test func theTimeOfAnAnswerIsNotCounted() async throws {
    let clock = ManualClock(.skipping)
    let process = RunContext(
      environment: [:], input: 0, output: 1, errors: 2, time: clock.timeSource(),
      transport: CurlTransport.init)
    let report = CostReport(CallMeter(), in: process, since: process.time.now)
    try await clock.sleep(for: .seconds(2))
    _ = try await process.questionTime.measuring(by: process.time) {
      try await clock.sleep(for: .seconds(60))
    }
    #expect(report.elapsed == .seconds(2))
  }

  private func plan(dids: Int) -> CostPlan {
    var cost = CheckCost(actor: .handle(Accounts.handle(0)))
    for did in Accounts.dids(1..<dids + 1) { cost.add(.did(did)) }
    return cost.plan()
  }

  @Test func everyStepOfAPlanHasItsCost() {
    let rows = PlanRow.rows(plan(dids: 60))
    #expect(rows.map(\.seconds) == ["0.100", "0.100", "0.200"])
    #expect(rows.map(\.calls) == [1, 2, 3])
    #expect(rows.map(\.isEstimate) == [true, true, true])
    #expect(rows[0].bytes.flatMap { first in rows[1].bytes.map { first + $0 } } == rows[2].bytes)
  }

  @Test func anUnknownNumberIsNullAndNotZero() {
    var plan = CostPlan()
    plan.add("a", calls: nil)
    plan.add("b", calls: 2, points: 3)
    let total = PlanRow.rows(plan)[2]
    #expect(total.calls == nil && total.bytes == nil && total.seconds == nil)
    #expect(total.points == 3 && total.isEstimate)
    #expect(total.tableRow(at: Datetime(at: .epoch)).cells[1].text == "at least 2")
  }
}
