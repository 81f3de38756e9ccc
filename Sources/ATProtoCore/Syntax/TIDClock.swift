// SPDX-License-Identifier: Apache-2.0

/// A source of ``TID``s that only rise: none repeats, also when the wall clock stands or steps back.
///
/// One clock serves a whole process, from any number of tasks; two clocks with the same id may repeat
/// each other. While the wall clock lags behind the last identifier, each one counts on by a microsecond.
/// The format ends in the year 2255, and the clock with it: there it stays on the last microsecond.
public final class TIDClock: Sendable {
  private let clockID: UInt16
  private let microseconds: @Sendable () -> Int64
  private let last = PosixMutex<Int64>(-1)

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - clockID: Tells this clock from others of the same account; the lowest ten bits are used.
  ///     A random one is as good as any.
  ///   - microseconds: The wall clock, in microseconds since 1970.
  public init(clockID: UInt16, microseconds: @escaping @Sendable () -> Int64) {
    self.clockID = clockID
    self.microseconds = microseconds
  }

  /// The next identifier, above all that came before it.
  public func next() -> TID {
    let now = min(microseconds(), TID.latest)
    let time = last.withLock { last in
      last = max(last + 1, now)
      return last
    }
    return TID(microseconds: time, clockID: clockID)
  }
}
