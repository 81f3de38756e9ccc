// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith

@Suite struct ProgressStateTests {
  private typealias Traffic = ProgressState.Traffic

  /// A run at a constant rate, repainted ten times a second.
  private func run(_ rows: Int, in duration: Duration, of total: Int? = nil) -> ProgressState {
    var state = ProgressState(verb: "checked", startedAt: .zero)
    state.total = total
    let ticks = max(1, Int(duration / .milliseconds(100)))
    for tick in 1...ticks {
      while state.count < rows * tick / ticks { state.advance() }
      _ = state.line(at: .milliseconds(100) * tick, Traffic(), columns: 80)
    }
    return state
  }

  @Test(
    arguments: [
      (0, 100, nil, "0 checked, 1 call"), (30, 400, nil, "30 checked, 1 call"),
      (30, 2_000, nil, "30 checked, 15/s, 1 call"), (3, 2_000, nil, "3 checked, 1.5/s, 1 call"),
      (0, 2_000, 100, "0 of 100 checked, 0/s, 1 call"),
      (1_000, 5_000, 100_000, "1000 of 100000 checked, 200/s, ETA 8 min 15 s, 1 call"),
      (99, 2_000, 100, "99 of 100 checked, 50/s, ETA 1 s, 1 call"),
      (100, 2_000, 100, "100 of 100 checked, 50/s, 1 call"),
      (120, 2_000, 100, "120 of 120 checked, 60/s, 1 call"),
    ] as [(Int, Int, Int?, String)])
  func showsProgress(rows: Int, milliseconds: Int, total: Int?, line: String) {
    var state = run(rows, in: .milliseconds(milliseconds), of: total)
    #expect(state.line(at: .milliseconds(milliseconds), Traffic(calls: 1), columns: 80) == line)
  }

  @Test func theRateCoversTheLastTenSeconds() {
    var state = run(1_000, in: .seconds(10))
    #expect(state.line(at: .seconds(10), Traffic(), columns: 80) == "1000 checked, 100/s, 0 calls")
    // Nothing more arrives, so the rate drops.
    #expect(state.line(at: .seconds(15), Traffic(), columns: 80) == "1000 checked, 50/s, 0 calls")
    #expect(state.line(at: .seconds(30), Traffic(), columns: 80) == "1000 checked, 0/s, 0 calls")
  }

  @Test func showsCallsLeftAndWaits() {
    var state = run(1_000, in: .seconds(10), of: 5_000)
    let busy = Traffic(calls: 34, callsLeft: 2_966)
    #expect(
      state.line(at: .seconds(10), busy, columns: 80)
        == "1000 of 5000 checked, 100/s, ETA 40 s, 34 calls (2966 left)")
    let waiting = Traffic(calls: 3_000, callsLeft: 0, hold: .rateLimit(.seconds(290)))
    #expect(
      state.line(at: .seconds(10), waiting, columns: 80)
        == "1000 of 5000 checked, waiting 4 min 50 s for the rate limit, 3000 calls (0 left)")
    #expect(
      state.line(
        at: .seconds(10), Traffic(calls: 40, hold: .failure(.seconds(12), of: "https://a.test")), columns: 80)
        == "1000 of 5000 checked, waiting 12 s for https://a.test to recover, 40 calls")
  }

  @Test(arguments: [
    (80, "1000 of 5000 checked, 100/s, ETA 40 s, 34 calls"),
    (47, "1000 of 5000 checked, 100/s, ETA 40 s, 34 calls"),
    (46, "1000 of 5000 checked, 100/s, ETA 40 s"), (30, "1000 of 5000 checked, 100/s"),
    (20, "1000 of 5000 checked"), (9, "1000 of …"), (0, ""),
  ])
  func dropsPartsThatDoNotFit(columns: Int, line: String) {
    var state = run(1_000, in: .seconds(10), of: 5_000)
    #expect(state.line(at: .seconds(10), Traffic(calls: 34), columns: columns) == line)
  }

  @Test(arguments: [
    (120, "1000 of 5000 checked, waiting 4 min 50 s for the rate limit, 34 calls"),
    (60, "1000 of 5000 checked, waiting 4 min 50 s for the rate limit"),
    (50, "1000 of 5000 checked, waiting 4 min 50 s for the …"), (30, "1000 of 5000 checked, waiting…"),
    (20, "1000 of 5000 checke…"),
  ])
  func aWaitIsTruncatedRatherThanDropped(columns: Int, line: String) {
    var state = run(1_000, in: .seconds(10), of: 5_000)
    let waiting = Traffic(calls: 34, hold: .rateLimit(.seconds(290)))
    #expect(state.line(at: .seconds(10), waiting, columns: columns) == line)
  }

  @Test(arguments: [
    (120, "12 of 50 done, waiting until noon as the server asks, 2 failed, 36 left"),
    (60, "12 of 50 done, waiting until noon as the server asks"),
    (40, "12 of 50 done, waiting until noon as th…"),
  ])
  func aReportedWaitIsTruncatedRatherThanDropped(columns: Int, line: String) {
    var state = ProgressState(verb: "done", startedAt: .zero)
    state.report(12, of: 50, wait: "waiting until noon as the server asks", notes: ["2 failed", "36 left"])
    #expect(state.line(at: .zero, Traffic(), columns: columns) == line)
  }

  @Test func serverTextIsCleanedForATerminal() {
    var state = ProgressState(verb: "done", startedAt: .zero)
    state.report(1, of: 2, wait: "to try again: \u{1B}[2Jgone\n\u{202E}", notes: ["\u{7}日本"])
    let line = state.line(at: .zero, Traffic(), columns: 80)
    #expect(line == "1 of 2 done, to try again: \u{FFFD}[2Jgone\u{FFFD}\u{FFFD}, \u{FFFD}日本")
    #expect(state.line(at: .zero, Traffic(), columns: 44) == line, "44 cells")
    #expect(state.line(at: .zero, Traffic(), columns: 43) != line)
  }

  @Test(arguments: [
    (Duration.zero, "0 s"), (.milliseconds(1), "1 s"), (.milliseconds(59_001), "1 min"),
    (.seconds(59), "59 s"), (.seconds(60), "1 min"), (.seconds(290), "4 min 50 s"),
    (.seconds(3_599), "59 min 59 s"), (.seconds(3_600), "1 h"), (.seconds(12_059), "3 h 20 min"),
  ])
  func spansUseTheirTwoLargestUnits(span: Duration, text: String) {
    #expect(DurationText.span(span) == text)
  }
}
