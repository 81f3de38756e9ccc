// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Gains and losses of a listing in a day, week, month or year, or in several of them that no snapshot separates.
///
/// Everything that a flow counts happened between the same two snapshots, those at ``observed``. When an account was
/// lost is known only as an interval: after a snapshot that still saw it, by the next one. The periods that one interval
/// spans are one flow. An account that came and left between two snapshots is not seen.
public struct AudienceFlow: Sendable, Hashable {
  /// The arrivals of one period.
  public struct Part: Sendable, Hashable {
    public let period: CalendarPeriod
    /// The part of the period that is counted.
    public let time: Range<Instant>
    /// Accounts that arrived for the first time; nil if that is not known. A lower bound unless the flow is of one period
    /// and observed.
    public var gained: Int? { known(new) }
    /// Accounts that returned after an earlier loss; nil if that is not known. A lower bound as ``gained`` is.
    public var returned: Int? { known(back) }
    /// Accounts that arrived, and of which nothing else is known, because they were deleted from the history.
    public internal(set) var unnamed = 0

    /// The counts, which may be too low.
    var new = 0
    var back = 0
    /// Whether 0 is a count, because snapshots enclose the period and no other.
    let isCounted: Bool

    init(_ period: CalendarPeriod, in time: Range<Instant>, isCounted: Bool) {
      (self.period, self.time, self.isCounted) = (period, time, isCounted)
    }

    /// Whether ``arrivals`` is known, be it as a lower bound.
    var isKnown: Bool { isCounted || arrivals > 0 }

    /// The known arrivals of any kind.
    var arrivals: Int { new + back + unnamed }

    private func known(_ count: Int) -> Int? { count > 0 || isCounted ? count : nil }
  }

  /// The losses between snapshots.
  public struct Losses: Sendable, Hashable {
    public internal(set) var count = 0
    /// How many of them block the actor.
    public internal(set) var blockers = 0
    /// How many of them were deleted from the history, so that it is not known why they are gone.
    public internal(set) var unnamed = 0
    /// The interval in which they were: the last snapshot before them, and the one that found them.
    public internal(set) var time: Range<Instant>
  }

  /// The periods that the flow is about, in order: one, or those that an interval between snapshots spans.
  public internal(set) var parts: [Part]
  /// Accounts that arrived in some of several periods, which is not known.
  public internal(set) var undated = 0
  /// Nil if nothing shows what was lost; a lower bound if the coverage is `unobserved`.
  public internal(set) var losses: Losses?
  /// Accounts that the actor's own block hid: whether they left is not known.
  public internal(set) var hidden = 0
  /// Accounts that were hidden, and are listed again.
  public internal(set) var shown = 0
  /// From the first to the last of the snapshots between which everything was counted; nil if there are none.
  public let observed: Range<Instant>?
  /// The count of the first of these snapshots; nil if there are none.
  public let countAtStart: Int?
  /// How far snapshots cover the time.
  public let coverage: Coverage

  /// How far snapshots cover a time.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// It ended before the first snapshot: only accounts that came and stayed until then are known.
    case survivors
    /// No two snapshots tell what was lost: it is after the last one, or the snapshots since withhold losses.
    case unobserved
    /// Snapshots cover less than three quarters of it, or only a part of the period is counted.
    case partial
    /// One interval between snapshots spans several periods, or is much longer than one: the losses are known for all of
    /// its time together, and of the arrivals only those that stayed until its end.
    case interval
    case whole

    /// Whether snapshots show all losses that one of them can find.
    var isObserved: Bool { self != .survivors && self != .unobserved }
    /// Whether snapshots enclose the time, so that its figures can be averaged.
    var isComplete: Bool { self == .whole || self == .interval }
  }

  init(_ parts: [Part], observed: Range<Instant>?, countAtStart: Int?, coverage: Coverage) {
    self.parts = parts
    self.observed = observed
    self.countAtStart = countAtStart
    self.coverage = coverage
    losses = observed.map { Losses(time: $0) }
  }

  /// From the start of the first period to the end of the last one; of each, only the part that is counted.
  public var time: Range<Instant> {
    guard let first = parts.first, let last = parts.last else { return .epoch ..< .epoch }
    return first.time.lowerBound..<last.time.upperBound
  }

  /// All arrivals; nil if none is known where snapshots do not show all of them.
  public var arrivals: Int? {
    let known = parts.reduce(undated) { $0 + $1.arrivals }
    return known > 0 || isObserved ? known : nil
  }

  /// Whether snapshots show all losses that one of them can find.
  public var isObserved: Bool { coverage.isObserved }

  /// Arrivals less losses; nil if either is unknown.
  public var net: Int? {
    guard isObserved, let arrivals, let losses else { return nil }
    return arrivals - losses.count
  }

  /// The share of accounts at the start that were lost: lost / count at the start.
  ///
  /// Nil if unknown, or if the count was zero. May exceed 1 if many come and leave within the time.
  public var churnRate: Double? {
    guard isObserved, let losses, let countAtStart, countAtStart > 0 else { return nil }
    return Double(losses.count) / Double(countAtStart)
  }

  /// The time that snapshots cover, in periods; nil if they do not enclose enough of it for an average.
  var periodsCovered: Double? {
    guard coverage.isComplete, let observed, let first = parts.first, let last = parts.last else {
      return nil
    }
    return (observed.upperBound - observed.lowerBound) / (last.period.end - first.period.start)
      * Double(parts.count)
  }

  /// The average of a figure per period, over the flows that snapshots enclose; nil if there is none.
  ///
  /// - Parameter fewest: the fewest periods that they have to be about.
  static func average(
    of flows: some Sequence<AudienceFlow>, fewest: Int = 1, _ figure: (AudienceFlow) -> Double?
  ) -> Double? {
    var (sum, covered, periods) = (0.0, 0.0, 0)
    for flow in flows {
      guard let value = figure(flow), let time = flow.periodsCovered else { continue }
      sum += value
      covered += time
      periods += flow.parts.count
    }
    return covered > 0 && periods >= fewest ? sum / covered : nil
  }
}

extension AudienceFlow.Coverage {
  /// The coverage of a row by its intervals.
  init(of parts: [AudienceFlow.Part], by observed: Range<Instant>) {
    guard let first = parts.first, let last = parts.last else {
      self = .unobserved
      return
    }
    let length = last.period.end - first.period.start
    let share = (observed.upperBound - observed.lowerBound) / length
    if first.time.lowerBound != first.period.start || last.time.upperBound != last.period.end
      || share < Self.leastShare
    {
      self = .partial
    } else {
      self = parts.count > 1 || share > Self.mostShare ? .interval : .whole
    }
  }

  /// The share of a row that snapshots must cover, so that its figures are those of the row.
  private static let leastShare = 0.75
  /// The share from which on they are those of a longer time.
  private static let mostShare = 1.25
}
