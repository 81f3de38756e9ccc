// SPDX-License-Identifier: Apache-2.0

/// What an account may spend now and when it may spend more.
///
/// Until a server says otherwise, its windows are taken to slide: a point comes back an hour, or a day, after it
/// was spent. A server that tells of its window knows better, for it also counts what other apps spend; until that
/// window starts anew its word holds, less what was spent since.
public struct PointBudget: Sendable, Hashable {
  /// What may be spent.
  public var allowance: PointAllowance
  private var spends: [PointSpend]
  private var readings: [PointWindow: PointReading]

  /// Puts a budget together.
  ///
  /// - Parameters:
  ///   - spends: at least those of the last day.
  ///   - readings: the latest of each window.
  public init(allowance: PointAllowance, spends: [PointSpend], readings: [PointReading] = []) {
    self.allowance = allowance
    self.spends = spends
    self.readings = Dictionary(readings.map { ($0.window, $0) }) { $0.readAt > $1.readAt ? $0 : $1 }
  }

  /// Sets points aside.
  public mutating func spend(_ points: Int, at now: Int64) {
    spends.append(PointSpend(at: now, points: points))
  }

  /// Points that may be spent now; never less than none.
  ///
  /// - Parameter now: microseconds since 1970.
  public func left(at now: Int64) -> Int {
    max(0, PointWindow.allCases.map { left(in: $0, at: now) }.min() ?? 0)
  }

  /// The earliest moment at which so many points may be spent, if none are spent before; nil where that will never
  /// be.
  ///
  /// - Parameter now: microseconds since 1970, as is the answer.
  public func opening(for points: Int, at now: Int64) -> Int64? {
    moments(after: now).first { left(at: $0) >= points }
  }

  /// When so many points will be spent, if each is spent as soon as it may be; nil where that will never be.
  ///
  /// - Parameter now: microseconds since 1970, as is the answer.
  public func end(of points: Int, at now: Int64) -> Int64? {
    var budget = self
    var rest = points
    var time = now
    while rest > 0 {
      let chunk = min(rest, Self.commit)
      guard let next = budget.opening(for: chunk, at: time) ?? budget.opening(for: 1, at: time) else {
        return nil
      }
      time = next
      let paid = min(rest, budget.left(at: time))
      budget.spend(paid, at: time)
      rest -= paid
    }
    return time
  }

  /// Points of a full commit of new records.
  private static let commit = 3 * RecordWrite.mostPerCommit

  private func left(in window: PointWindow, at now: Int64) -> Int {
    let reading = readings[window]
    let limit = reading?.limit ?? allowance[window]
    let kept = (limit * allowance.leave + 99) / 100
    if let reading, now < reading.resetsAt {
      // What was spent in the very microsecond of the reading is taken not to be in it.
      return min(reading.remaining, limit) - kept - spent(after: reading.readAt - 1, until: now, in: window)
    }
    // What was spent before a window started anew does not count in it.
    let start = max(now - window.microseconds, reading?.resetsAt ?? .min)
    return limit - kept - spent(after: start, until: now, in: window)
  }

  /// Spends that lie in the future belong to a clock that was put back; those further off than a window say
  /// nothing any more.
  private func spent(after start: Int64, until now: Int64, in window: PointWindow) -> Int {
    spends.reduce(0) { sum, spend in
      spend.at > start && spend.at - now < window.microseconds ? sum + spend.points : sum
    }
  }

  /// Now, and the moments at which points come back.
  private func moments(after now: Int64) -> [Int64] {
    var moments: Set<Int64> = [now]
    for window in PointWindow.allCases {
      if let reset = readings[window]?.resetsAt { moments.insert(reset) }
      for spend in spends { moments.insert(spend.at + window.microseconds) }
    }
    return moments.filter { $0 >= now }.sorted()
  }
}
