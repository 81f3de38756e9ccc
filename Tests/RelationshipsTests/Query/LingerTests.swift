// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Relationships

@Suite struct LingerTests {
  private var linger = Linger(atMost: .seconds(1))

  @Test mutating func eachStageHasItsOwnMoment() {
    linger.gather(.resolve, at: .zero)
    linger.gather([.resolve, .lookUp], at: .milliseconds(400))
    linger.left(.lookUp, isEmpty: true, at: .milliseconds(600))
    linger.gather([.resolve, .lookUp], at: .milliseconds(700))
    #expect(linger.end == .seconds(1))
    linger.pass(to: .milliseconds(999), isBusy: false)
    #expect(linger.overdue.isEmpty)
    linger.pass(to: .seconds(1), isBusy: false)
    #expect(linger.overdue == .resolve)
    #expect(linger.end == .milliseconds(1_700))
  }

  /// What has lingered for long enough does not linger again on its way.
  @Test mutating func whatWasOverdueGoesThroughTheStagesBehind() {
    linger.gather(.resolve, at: .zero)
    linger.pass(to: .seconds(1), isBusy: false)
    linger.left(.resolve, isEmpty: true, at: .seconds(1))
    #expect(linger.overdue == .lookUp)
    linger.gather(.lookUp, at: .seconds(2))
    #expect(linger.end == nil)
    linger.left(.lookUp, isEmpty: true, at: .seconds(2))
    #expect(linger.overdue == [.ask, .verify])
    linger.left(.ask, isEmpty: true, at: .seconds(2))
    #expect(linger.overdue == .verify)
  }

  /// Full batches that leave something behind do not end in one that is not full.
  @Test mutating func aSteadyStageIsNeverOverdue() {
    var now = Duration.zero
    for _ in 0..<100 {
      linger.gather(.ask, at: now)
      now += .milliseconds(400)
      linger.left(.ask, isEmpty: false, at: now)
      linger.pass(to: now + .milliseconds(399), isBusy: false)
      #expect(linger.overdue.isEmpty)
    }
    linger.pass(to: now + .milliseconds(600), isBusy: false)
    #expect(linger.overdue == .ask)
  }

  @Test mutating func whatWaitsForALaneBeginsAnew() {
    linger.gather(.ask, at: .zero)
    linger.pass(to: .seconds(1), isBusy: true)
    #expect(linger.overdue.isEmpty)
    #expect(linger.end == .seconds(2))
  }

  @Test func waitsForEverWhereThatIsWanted() {
    var linger = Linger(atMost: .zero)
    linger.gather(.ask, at: .zero)
    #expect(linger.end == nil)
    linger.pass(to: .seconds(100), isBusy: false)
    #expect(linger.overdue.isEmpty)
  }
}
