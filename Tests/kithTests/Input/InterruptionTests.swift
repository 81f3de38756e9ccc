// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import kith

@Suite struct InterruptionTests {
  /// Counts cancellations and records the exit status.
  private final class Record: Sendable {
    private let cancellations = PosixMutex(0)
    private let exits = PosixMutex([kith.ExitStatus]())

    var cancelled: Int { cancellations.withLock { $0 } }
    var left: [kith.ExitStatus] { exits.withLock { $0 } }

    func interruption() -> Interruption {
      Interruption(
        cancel: { self.cancellations.withLock { $0 += 1 } },
        leave: { status in self.exits.withLock { $0.append(status) } })
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func theFirstSignalCancelsAndSetsTheStatus(signal: Int32, status: Int32) {
    let record = Record()
    let interruption = record.interruption()
    #expect(interruption.cause == nil)
    interruption.interrupt(.signal(signal))
    for other in [SIGINT, SIGTERM, SIGHUP] where other != signal { interruption.interrupt(.signal(other)) }
    #expect(interruption.cause?.status.rawValue == status)
    #expect(record.cancelled == 1 && record.left.isEmpty)
  }

  @Test func aRepeatedSignalEndsTheProcess() {
    for (signal, left) in [(SIGINT, [kith.ExitStatus.interrupted]), (SIGTERM, [.terminated]), (SIGHUP, [])] {
      let record = Record()
      let interruption = record.interruption()
      for _ in 0..<2 { interruption.interrupt(.signal(signal)) }
      #expect(record.left == left && record.cancelled == 1)
    }
  }

  /// A run that computes without end does not notice that it is cancelled.
  @Test func aRunThatDoesNotEndIsEnded() async {
    let status = await withCheckedContinuation { continuation in
      let interruption = Interruption(
        cancel: {}, leave: { continuation.resume(returning: $0) }, grace: .milliseconds(1))
      interruption.interrupt(.signal(SIGTERM))
    }
    #expect(status == .terminated)
  }

  @Test func aDeadlineCancelsWhenItExpires() async throws {
    let record = Record()
    let clock = ManualClock(.skipping)
    let time = clock.timeSource()
    let interruption = record.interruption()
    let started = time.now
    try await interruption.limit(to: .seconds(90), time: time).value
    #expect(time.now - started == .seconds(90))
    #expect(interruption.cause == .deadline(.seconds(90)))
    #expect(interruption.cause?.status == .tryLater && record.cancelled == 1)
  }

  @Test func aCancelledDeadlineCancelsNothing() async throws {
    let record = Record()
    let interruption = record.interruption()
    let limit = interruption.limit(to: .seconds(90), time: ManualClock().timeSource())
    limit.cancel()
    await #expect(throws: CancellationError.self) { try await limit.value }
    #expect(interruption.cause == nil && record.cancelled == 0)
  }

  @Test func aDeadlineIsFoundInEveryCommandThatTakesOne() throws {
    let takers = CommandLeaf.all.filter { $0.declares("deadline") }
    #expect(takers.count > 30)
    for command in takers { #expect(command.type is any RowCommand.Type, "\(command.line)") }
    let command = try CheckCommand.parse(["alice.test", "bob.test", "--deadline", "90s"])
    #expect(command.common.deadline?.duration == .seconds(90))
  }
}
