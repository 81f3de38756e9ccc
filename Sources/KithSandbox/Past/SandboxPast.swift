// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A network in which alice.test has grown until now, and what snapshots of it would have seen.
///
/// Its clock starts some days before the present, so that records have the dates of their days.
package struct SandboxPast: Sendable {
  /// The number of days at the end with daily snapshots; before that, there is one every two weeks.
  private static let daily = 60

  /// The network, which can be served once its days have passed.
  package let sandbox: Sandbox
  private let days: Int
  private let clock: Clock

  /// A clock that is behind the present.
  private final class Clock: Sendable {
    private let present: @Sendable () -> Instant
    private let lag: PosixMutex<Duration>

    init(days: Int, behind present: @escaping @Sendable () -> Instant) {
      self.present = present
      lag = PosixMutex(.days(days))
    }

    var now: Instant { present() - lag.withLock { $0 } }

    func passDay() { lag.withLock { $0 -= .days(1) } }
  }

  /// - Parameter present: the time at the end of the days.
  package init(
    days: Int, of network: SandboxNetwork,
    until present: @escaping @Sendable () -> Instant = { WallClock.now }
  ) {
    let clock = Clock(days: days, behind: present)
    (self.days, self.clock) = (days, clock)
    sandbox = Sandbox(
      network: network, configuration: .init(days: days, pace: .growth, wall: { clock.now }))
  }

  /// Lets the days pass.
  ///
  /// - Parameter observed: receives the lines of each snapshot of the followers, the follows and the blocks, as
  ///   `kith db load-history` reads them.
  package func pass(observed: ([String]) throws -> Void) throws {
    var observer = StoryObserver(of: .alice)
    for day in 0...days {
      if day > 0 {
        clock.passDay()
        sandbox.passDay()
      }
      if isObserved(day) { try observed(try observer.lines(in: sandbox.live)) }
    }
  }

  /// Whether there is a snapshot on a day.
  func isObserved(_ day: Int) -> Bool { day.isMultiple(of: 14) || day > days - Self.daily }
}
