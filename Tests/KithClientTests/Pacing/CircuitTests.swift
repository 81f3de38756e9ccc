// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithClient

@Suite struct CircuitTests {
  private var circuit = Circuit(firstCoolDown: .seconds(3), longestCoolDown: .seconds(60))
  private let dead = HostFault.transport(TransportError(.cannotConnect, host: "host.test"))

  @Test mutating func opensWhenACallGivesUpAndNothingGoodCameSince() {
    circuit.gaveUp(dead, mark: 0, at: .seconds(1))
    #expect(!circuit.admits(at: .seconds(1)))
    #expect(circuit.remainingPause(at: .seconds(1)) == .seconds(3))
    #expect(circuit.fault == Circuit.Fault(cause: dead, at: .seconds(1)))
  }

  @Test mutating func staysClosedWhenOthersWereAnsweredMeanwhile() {
    circuit.answered()
    circuit.gaveUp(dead, mark: 0, at: .seconds(1))
    #expect(circuit.admits(at: .seconds(1)))
  }

  /// One request that a healthy server cannot handle does not affect the others.
  @Test mutating func toleratesOneRequestThatAlwaysFails() {
    circuit.answered()
    circuit.gaveUp(.status(500), mark: 1, at: .seconds(1))
    #expect(circuit.admits(at: .seconds(1)))
    circuit.answered()
    circuit.gaveUp(.status(500), mark: 2, at: .seconds(2))
    #expect(circuit.admits(at: .seconds(2)))
    circuit.gaveUp(.status(500), mark: 2, at: .seconds(3))
    #expect(!circuit.admits(at: .seconds(3)))
  }

  @Test mutating func letsOneProbeThroughAfterTheCoolDown() {
    circuit.gaveUp(dead, mark: 0, at: .zero)
    #expect(!circuit.admits(at: .milliseconds(2_999)))
    #expect(circuit.admits(at: .seconds(3)))
    let isProbe = circuit.begin()
    #expect(isProbe)
    #expect(!circuit.admits(at: .seconds(3)))
    circuit.answered()
    #expect(circuit.admits(at: .seconds(3)))
    let isAnother = circuit.begin()
    #expect(!isAnother)
    #expect(circuit.remainingPause(at: .seconds(3)) == nil)
  }

  @Test mutating func coolsDownTwiceAsLongEachTimeUpToAMinute() throws {
    circuit.gaveUp(dead, mark: 0, at: .zero)
    var now = Duration.zero
    var rests: [Duration] = []
    for _ in 0..<7 {
      let rest = try #require(circuit.remainingPause(at: now))
      rests.append(rest)
      now += rest
      _ = circuit.begin()
      circuit.probeFailed(dead, at: now)
    }
    #expect(rests == [3, 6, 12, 24, 48, 60, 60].map { .seconds($0) })
  }

  @Test mutating func startsWithTheFirstCoolDownAgainAfterAGoodAnswer() {
    circuit.gaveUp(dead, mark: 0, at: .zero)
    _ = circuit.begin()
    circuit.probeFailed(dead, at: .seconds(3))
    #expect(circuit.remainingPause(at: .seconds(3)) == .seconds(6))
    _ = circuit.begin()
    circuit.answered()
    circuit.gaveUp(dead, mark: 1, at: .seconds(10))
    #expect(circuit.remainingPause(at: .seconds(10)) == .seconds(3))
  }

  @Test mutating func letsTheNextTryWhenAProbeIsCalledBack() {
    circuit.gaveUp(dead, mark: 0, at: .zero)
    _ = circuit.begin()
    circuit.probeAbandoned(at: .seconds(9))
    #expect(circuit.admits(at: .seconds(9)))
    let isProbe = circuit.begin()
    #expect(isProbe)
  }

  @Test mutating func believesAnAnswerThatOvertookTheProbe() {
    circuit.gaveUp(dead, mark: 0, at: .zero)
    _ = circuit.begin()
    circuit.answered()
    circuit.probeFailed(dead, at: .seconds(4))
    #expect(circuit.admits(at: .seconds(4)))
  }
}
