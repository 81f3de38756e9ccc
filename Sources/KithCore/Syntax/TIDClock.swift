// SPDX-License-Identifier: Apache-2.0

/// A source of strictly increasing ``TID``s, even if the wall clock stops or goes back.
///
/// One clock serves a whole process, from any number of tasks; two clocks with the same id may produce the
/// same identifiers. While the wall clock is behind the last identifier, each new one adds a microsecond. The
/// format ends in the year 2255; from then on the clock stays at the last microsecond.
public final class TIDClock: Sendable {
  private let clockID: UInt16
  private let wall: @Sendable () -> Instant
  private let last = PosixMutex<Int64>(-1)

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - clockID: Distinguishes this clock from others of the same account; the lowest ten bits are used. A
  ///     random one is fine.
  ///   - wall: The wall clock.
  package init(clockID: UInt16, wall: @escaping @Sendable () -> Instant) {
    self.clockID = clockID
    self.wall = wall
  }

  /// Returns the next identifier, greater than all before it.
  public func next() -> TID {
    let now = min(wall().microsecondsSinceEpoch, TID.latest)
    let time = last.withLock { last in
      last = max(last + 1, now)
      return last
    }
    return TID(at: Instant(microsecondsSinceEpoch: time), clockID: clockID)
  }
}
