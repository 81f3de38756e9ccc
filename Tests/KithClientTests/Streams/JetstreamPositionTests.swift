// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite("Where a subscription continues")
struct JetstreamPositionTests {
  private static let t0 = Instant(secondsSinceEpoch: 1_790_000_000)

  private func event(_ sequence: Int64?, _ seconds: Int64, host: String = "one.test") -> JetstreamEvent {
    JetstreamEvent(.sync, of: Accounts.did(1), cursor: cursor(sequence, seconds, host: host))
  }

  private func cursor(_ sequence: Int64?, _ seconds: Int64, host: String = "one.test") -> StreamCursor {
    StreamCursor(host: host, sequence: sequence, at: Self.t0 + .seconds(seconds))
  }

  private let now = t0 + .days(1)

  @Test func withoutACursorItBeginsNow() {
    var position = JetstreamPosition(host: "one.test", after: nil)
    #expect(position.connect() == .now)
    #expect(position.receive(event(5, 0), at: now) == .take(event(5, 0), after: nil))
    #expect(position.cursor == cursor(5, 0))
    #expect(position.connect() == .sequence(5))
  }

  @Test func theLastEventComesAgainAndIsDropped() {
    var position = JetstreamPosition(host: "one.test", after: cursor(5, 0))
    #expect(position.connect() == .sequence(5))
    #expect(position.receive(event(5, 0), at: now) == .drop)
    #expect(position.receive(event(8, 4_000), at: now) == .take(event(8, 4_000), after: nil))
    #expect(position.receive(event(8, 4_000), at: now) == .drop)
  }

  @Test func anotherHostContinuesByTimeMinusAMargin() {
    var position = JetstreamPosition(host: "one.test", after: cursor(900, 1_000, host: "two.test"))
    #expect(position.connect() == .time(Self.t0 + .seconds(940)))
    #expect(position.receive(event(5, 941), at: now) == .take(event(5, 941), after: nil))
    // Smaller numbers of another host are not repetitions.
    #expect(position.receive(event(6, 942), at: now) == .take(event(6, 942), after: nil))
    #expect(position.connect() == .sequence(6))
  }

  /// The host was built again: its numbers are small, and ours is in its future, which it takes for "now".
  @Test(arguments: [(Int64(3), Int64(5_000)), (950, 5_000), (900, 5_000)])
  func aHostThatContinuesElsewhereIsAskedByTime(sequence: Int64, seconds: Int64) {
    var position = JetstreamPosition(host: "one.test", after: cursor(900, 1_000))
    #expect(position.connect() == .sequence(900))
    #expect(position.receive(event(sequence, seconds), at: now) == .reconnect)
    #expect(position.connect() == .time(Self.t0 + .seconds(940)))
    #expect(position.receive(event(1, 950), at: now) == .take(event(1, 950), after: nil))
    #expect(position.connect() == .sequence(1))
  }

  @Test func anEventThatWasRemovedMeanwhileIsNoReasonToDoubt() {
    var position = JetstreamPosition(host: "one.test", after: cursor(900, 1_000))
    #expect(position.connect() == .sequence(900))
    #expect(position.receive(event(902, 1_001), at: now) == .take(event(902, 1_001), after: nil))
  }

  @Test func ifTheTimeDoesNotFitEitherEventsAreMissing() {
    var position = JetstreamPosition(host: "one.test", after: cursor(900, 1_000))
    _ = position.connect()
    #expect(position.receive(event(3, 5_000), at: now) == .reconnect)
    _ = position.connect()
    let gap = StreamGap(since: Self.t0 + .seconds(1_000), until: Self.t0 + .seconds(5_001), .otherPlace)
    #expect(position.receive(event(4, 5_001), at: now) == .take(event(4, 5_001), after: gap))
    #expect(position.receive(event(5, 5_002), at: now) == .take(event(5, 5_002), after: nil))
  }

  @Test func aCursorThatIsTooOldLeavesAGap() {
    var position = JetstreamPosition(host: "one.test", after: cursor(900, 1_000))
    _ = position.connect()
    position.miss(.cursorTooOld)
    position.continueByTime()
    #expect(position.connect() == .time(Self.t0 + .seconds(940)))
    position.miss(.otherPlace)  // the first reason stays
    let gap = StreamGap(since: Self.t0 + .seconds(1_000), until: Self.t0 + .seconds(9_000), .cursorTooOld)
    #expect(position.receive(event(2_000, 9_000), at: now) == .take(event(2_000, 9_000), after: gap))
    #expect(position.connect() == .sequence(2_000))
  }

  @Test func nothingCanBeMissingBeforeTheFirstEventOfAll() {
    var position = JetstreamPosition(host: "one.test", after: nil)
    _ = position.connect()
    position.miss(.cursorTooOld)
    #expect(position.receive(event(1, 0), at: now) == .take(event(1, 0), after: nil))
  }

  @Test func hostsWithoutNumbersContinueByTime() {
    var position = JetstreamPosition(host: "one.test", after: nil)
    _ = position.connect()
    #expect(position.receive(event(nil, 100), at: now) == .take(event(nil, 100), after: nil))
    #expect(position.connect() == .time(Self.t0 + .seconds(40)))
    // What comes again is for the reader to fold.
    #expect(position.receive(event(nil, 50), at: now) == .take(event(nil, 50), after: nil))
  }

  @Test func aTimeInTheFutureIsNotBelieved() {
    var position = JetstreamPosition(host: "one.test", after: nil)
    _ = position.connect()
    let claimed = event(5, 400 * 86_400)
    guard case .take(let taken, _) = position.receive(claimed, at: now) else {
      Issue.record("it was not taken")
      return
    }
    #expect(taken.at == now)
    #expect(position.cursor?.at == now)
  }
}
