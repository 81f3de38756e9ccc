// SPDX-License-Identifier: Apache-2.0

import KithCore
import Logging
import TestSupport
import Testing

@testable import kith

@Suite(.timeLimit(.minutes(1))) struct ProgressLineTests {
  /// A terminal that records what is painted.
  private final class Screen: Sendable {
    private let paintings = PosixMutex<[String]>([])
    let painted: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation

    init() { (painted, tell) = AsyncStream.makeStream() }

    var canvas: ProgressLine.Canvas {
      ProgressLine.Canvas(columns: { 60 }) { text in
        self.paintings.withLock { $0.append(text) }
        self.tell.yield()
      }
    }

    var all: [String] { paintings.withLock(\.self) }
  }

  private static let erasure = "\r\u{1B}[K"

  @Test func repaintsEvenIfNothingArrives() async {
    let (clock, screen) = (ManualClock(), Screen())
    let line = ProgressLine(on: screen.canvas, verb: "checked", time: clock.timeSource(), write: { _ in }) {
      ProgressState.Traffic(calls: 2)
    }
    for _ in 0..<30 { line.advance() }
    var painted = screen.painted.makeAsyncIterator()
    for _ in 0..<2 {
      await clock.untilAsleep(1)
      clock.advance(by: .milliseconds(100))
      await painted.next()
    }
    #expect(screen.all == Array(repeating: Self.erasure + "30 checked, 2 calls", count: 2))
    line.expect(60)
    await clock.untilAsleep(1)
    clock.advance(by: .milliseconds(800))
    await painted.next()
    #expect(screen.all.last == Self.erasure + "30 of 60 checked, 30/s, ETA 1 s, 2 calls")
  }

  @Test func clearsItselfAndLeavesNoTrace() async {
    let (clock, screen) = (ManualClock(), Screen())
    let line = ProgressLine(on: screen.canvas, verb: "checked", time: clock.timeSource(), write: { _ in }) {
      .init()
    }
    line.makingWay {}
    #expect(screen.all.isEmpty, "what was not painted needs not be erased")
    var painted = screen.painted.makeAsyncIterator()
    await clock.untilAsleep(1)
    clock.advance(by: .milliseconds(100))
    await painted.next()
    var seen: [String] = []
    line.makingWay { seen = screen.all }
    #expect(seen == [Self.erasure + "0 checked, 0 calls", Self.erasure])
    line.makingWay {}
    line.end()
    await clock.untilAwake()
    clock.advance(by: .seconds(10))
    #expect(screen.all == seen)
  }

  @Test func clearsItselfForLogLines() async {
    let (clock, screen) = (ManualClock(), Screen())
    let place = ProgressPlace { screen.canvas.write($0.text) }
    let logger = Logger(
      label: "test", factory: { _ in StandardErrorLog(logLevel: .debug, beside: place) })
    do {
      let line = ProgressLine(on: screen.canvas, verb: "checked", time: clock.timeSource(), write: { _ in }) {
        .init()
      }
      place.show(line)
      var painted = screen.painted.makeAsyncIterator()
      await clock.untilAsleep(1)
      clock.advance(by: .milliseconds(100))
      await painted.next()
      logger.debug("retry", metadata: ["after": "5 ms"])
      line.end()
    }
    logger.debug("over")
    #expect(
      screen.all == [Self.erasure + "0 checked, 0 calls", Self.erasure, "retry: after 5 ms", "over"])
  }

  @Test func propagatesErrorsOfOtherOutput() {
    let line = ProgressLine(
      on: Screen().canvas, verb: "checked", time: ManualClock().timeSource(), write: { _ in }
    ) {
      .init()
    }
    #expect(throws: CommandFault(.readerGone)) {
      try line.makingWay { () throws(CommandFault) in throw CommandFault(.readerGone) }
    }
  }

  @Test func withoutATerminalNothingIsShown() {
    #expect(ProgressLine.Canvas(Capture().descriptor) == nil)
    let line = ProgressLine(on: nil, verb: "checked", write: { _ in }) { .init() }
    #expect(!line.isShown)
    line.advance()
    line.end()
  }
}
