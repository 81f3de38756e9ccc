// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import Relationships

/// What an account may spend now and when it may spend more.
///
/// Until a server says otherwise, its windows are taken to slide: a point comes back an hour, or a day, after it
/// was spent. A server that tells of its window knows better, for it also counts what other apps spend; until that
/// window resets its word holds, less what was spent since.
public struct WriteBudget: Sendable, Hashable {
  /// What may be spent.
  public var limit: WriteLimit
  private var spends: [WriteBudgetSpend]
  private var readings: [WriteBudgetWindow: WriteBudgetReading]

  /// Puts a budget together.
  ///
  /// - Parameters:
  ///   - spends: at least those of the last day.
  ///   - readings: the latest of each window.
  public init(limit: WriteLimit, spends: [WriteBudgetSpend], readings: [WriteBudgetReading] = []) {
    self.limit = limit
    self.spends = spends
    self.readings = Dictionary(readings.map { ($0.window, $0) }) { $0.readAt > $1.readAt ? $0 : $1 }
  }

  /// Sets points aside.
  public mutating func spend(_ points: Int, at now: Int64) {
    spends.append(WriteBudgetSpend(at: now, points: points))
  }

  /// Points that may be spent now; never less than none.
  ///
  /// - Parameter now: microseconds since 1970.
  public func left(at now: Int64) -> Int {
    max(0, WriteBudgetWindow.allCases.map { left(in: $0, at: now) }.min() ?? 0)
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

  private func left(in window: WriteBudgetWindow, at now: Int64) -> Int {
    let reading = readings[window]
    let whole = reading?.limit ?? limit[window]
    let kept = (whole * limit.leave + 99) / 100
    if let reading, now < reading.resetsAt {
      // What was spent in the very microsecond of the reading is taken not to be in it.
      let open = spends.reduce(0) { $1.isOpen && $1.at < reading.readAt ? $0 + $1.points : $0 }
      return min(reading.remaining, whole) - kept - open
        - spent(after: reading.readAt - 1, until: now, in: window)
    }
    // What was spent before a window started anew does not count in it.
    let start = max(now - window.microseconds, reading?.resetsAt ?? .min)
    return whole - kept - spent(after: start, until: now, in: window)
  }

  /// Spends that lie in the future belong to a clock that was put back; those further off than a window say
  /// nothing any more.
  private func spent(after start: Int64, until now: Int64, in window: WriteBudgetWindow) -> Int {
    spends.reduce(0) { sum, spend in
      spend.at > start && spend.at - now < window.microseconds ? sum + spend.points : sum
    }
  }

  /// Now, and the moments at which points come back.
  private func moments(after now: Int64) -> [Int64] {
    var moments: Set<Int64> = [now]
    for window in WriteBudgetWindow.allCases {
      if let reset = readings[window]?.resetsAt { moments.insert(reset) }
      for spend in spends { moments.insert(spend.at + window.microseconds) }
    }
    return moments.filter { $0 >= now }.sorted()
  }
}

/// How many points of the write budget may be spent.
///
/// Servers count a create as 3, an update as 2 and a delete as 1
/// <https://docs.bsky.app/docs/advanced-guides/rate-limits>.
public struct WriteLimit: Sendable, Hashable {
  /// The most points of a window that are reckoned with: more than anybody can spend, and little enough that no
  /// sum of a budget overflows.
  public static let mostPoints = 1_000_000_000

  /// Points that the server allows within an hour, unless it says otherwise; from 0 to ``mostPoints``.
  public let perHour: Int
  /// Points that the server allows within a day, unless it says otherwise; from 0 to ``mostPoints``.
  public let perDay: Int
  /// Percent of both that are left for normal use; from 0 to 99.
  public let leave: Int

  /// The reference server's limits, a fifth of which is left alone.
  ///
  /// Each is moved to the nearest number that is allowed.
  public init(perHour: Int = 5_000, perDay: Int = 35_000, leave: Int = 20) {
    self.perHour = Self.clamped(perHour)
    self.perDay = Self.clamped(perDay)
    self.leave = min(max(leave, 0), 99)
  }

  /// The nearest number of points that a window may have.
  static func clamped(_ points: Int) -> Int { min(max(points, 0), mostPoints) }

  /// The limit of a window.
  public subscript(window: WriteBudgetWindow) -> Int { window == .hour ? perHour : perDay }
}

/// A stretch of time for which a server counts points.
public enum WriteBudgetWindow: String, Sendable, Hashable, CaseIterable {
  case hour, day

  /// Its length.
  public var length: Duration { self == .hour ? .seconds(3_600) : .seconds(86_400) }

  var microseconds: Int64 { self == .hour ? 3_600_000_000 : 86_400_000_000 }
}

/// Points that were spent, or set aside for a commit that is on its way.
public struct WriteBudgetSpend: Sendable, Hashable {
  /// When, in microseconds since 1970.
  public var at: Int64
  /// How many.
  public var points: Int
  /// Whether their commit is on its way, so that no server may have counted them yet.
  public var isOpen: Bool

  /// Puts a spend together.
  public init(at: Int64, points: Int, isOpen: Bool = false) {
    self.at = at
    self.points = points
    self.isOpen = isOpen
  }
}

/// What a server said about one of its windows: it counts what other apps spend too.
public struct WriteBudgetReading: Sendable, Hashable {
  /// The window.
  public var window: WriteBudgetWindow
  /// Points that it allows in a whole window; from 0 to ``WriteLimit/mostPoints``, whatever it said.
  public let limit: Int
  /// Points that were left when it said so; in the same bounds.
  public let remaining: Int
  /// When the window resets, in microseconds since 1970.
  public var resetsAt: Int64
  /// When it said so, in microseconds since 1970.
  public var readAt: Int64

  /// Puts a reading together; points beyond their bounds are moved to the nearest number within.
  public init(window: WriteBudgetWindow, limit: Int, remaining: Int, resetsAt: Int64, readAt: Int64) {
    self.window = window
    self.limit = WriteLimit.clamped(limit)
    self.remaining = WriteLimit.clamped(remaining)
    self.resetsAt = resetsAt
    self.readAt = readAt
  }

  /// Takes what the header fields of an answer said; nil where they are not about points.
  ///
  /// Servers tell only the tightest of several limits, and one of those counts requests: which one it is shows in
  /// its policy, or else in its size.
  /// - Parameter now: when the answer came, in microseconds since 1970.
  public init?(_ rateLimit: RateLimit, at now: Int64) {
    guard let limit = rateLimit.limit, let remaining = rateLimit.remaining, let wait = rateLimit.untilReset
    else { return nil }
    let usual = WriteLimit()
    guard
      let window = WriteBudgetWindow.allCases.first(where: { window in
        rateLimit.window.map { $0 == window.length } ?? (limit == usual[window])
      })
    else { return nil }
    self.init(
      window: window, limit: limit, remaining: min(remaining, limit),
      resetsAt: now + min(wait, window.length).inMilliseconds * 1_000, readAt: now)
  }
}

/// Who keeps account of the points that each account spent, over all jobs and processes.
public protocol WriteBudgetStore: Sendable {
  /// What the account may spend.
  ///
  /// - Parameter now: microseconds since 1970.
  func budget(of account: DID, within limit: WriteLimit, at now: Int64) async throws -> WriteBudget

  /// Writes down what the server said, so that all processes know; what is not about points is passed over.
  ///
  /// - Parameter now: when it said so, in microseconds since 1970.
  func observed(_ rateLimit: RateLimit, of account: DID, at now: Int64) async throws
}
