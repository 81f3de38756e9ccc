// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithRelationships

/// What an account may spend now, and when it may spend more.
///
/// Until a server reports its own windows, they are assumed to slide: a point comes back an hour, or a day,
/// after it was spent. A reported window is more accurate because it includes what other apps spend. It is
/// used until it resets, less what was spent after it was read.
package struct WriteBudget: Sendable, Hashable {
  /// The limits that apply.
  package var limit: WriteLimit
  private var spends: PointSums
  /// Those of commits in flight.
  private var open: PointSums
  /// The changes that count against the limit of changes.
  private var changes: PointSums
  private var readings: [WriteBudgetWindow: WriteBudgetReading]

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - spends: at least those of the last day.
  ///   - readings: the latest of each window.
  ///   - kinds: the changes that count against the limit of changes; nil for all.
  package init(
    limit: WriteLimit, spends: [WriteBudgetSpend], readings: [WriteBudgetReading] = [],
    counting kinds: Set<ChangeKind>? = nil
  ) {
    self.limit = limit
    self.spends = PointSums(spends.map { ($0.at, $0.points) })
    open = PointSums(spends.filter(\.isOpen).map { ($0.at, $0.points) })
    changes = PointSums(spends.map { ($0.at, $0.changes(of: kinds)) })
    self.readings = Dictionary(readings.map { ($0.window, $0) }) { $0.readAt > $1.readAt ? $0 : $1 }
  }

  /// Records points as spent.
  package mutating func spend(_ points: Int, at now: Instant) {
    spends.insert(points, at: now)
  }

  /// Points that may be spent now; never negative.
  package func left(at now: Instant) -> Int {
    max(0, WriteBudgetWindow.allCases.map { left(in: $0, at: now) }.min() ?? 0)
  }

  /// Changes that may be made now; never negative, and unbounded without such a limit.
  package func changesLeft(at now: Instant) -> Int {
    let left = WriteBudgetWindow.allCases.map { window in
      limit.changes(in: window).map { $0 - changesMade(in: window, at: now) } ?? .max
    }
    return max(0, left.min() ?? .max)
  }

  private func changesMade(in window: WriteBudgetWindow, at now: Instant) -> Int {
    changes.sum(after: now - window.length)
  }

  /// The earliest moment at which this many points may be spent, for this many changes, if none are spent before; nil if
  /// that never happens.
  package func opening(for points: Int, changes: Int = 0, at now: Instant) -> Instant? {
    guard points <= most(at: now), changes <= limit.mostChanges else { return nil }
    return moments(from: now).first { left(at: $0) >= points && changesLeft(at: $0) >= changes }
  }

  /// When this many points will be spent, for this many changes, if each is spent as early as possible; nil if that never
  /// happens.
  package func end(of points: Int, changes: Int = 0, at now: Instant) -> Instant? {
    guard let paid = end(of: points, at: now), let made = end(ofChanges: changes, at: now) else { return nil }
    return max(paid, made)
  }

  /// When this many changes will be made, at the latest: as many at once as are left, then a whole limit for each window.
  private func end(ofChanges count: Int, at now: Instant) -> Instant? {
    var end = now
    for window in WriteBudgetWindow.allCases {
      guard let most = limit.changes(in: window) else { continue }
      let rest = count - max(0, most - changesMade(in: window, at: now))
      if rest <= 0 { continue }
      guard most > 0 else { return nil }
      end = max(end, now + window.length * ((rest - 1) / most + 1))
    }
    return end
  }

  private func end(of points: Int, at now: Instant) -> Instant? {
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

  /// Points of a full commit that only creates records.
  private static let commit = 3 * RecordWrite.mostPerCommit

  private func left(in window: WriteBudgetWindow, at now: Instant) -> Int {
    min(leftAtServer(in: window, at: now), leftOfLimit(in: window, at: now))
  }

  /// What the user allows, whatever the server reports; unbounded if they set no limit.
  private func leftOfLimit(in window: WriteBudgetWindow, at now: Instant) -> Int {
    guard let whole = limit[window] else { return .max }
    return whole - kept(of: whole) - spends.sum(after: now - window.length)
  }

  /// The points of a window that are kept free.
  private func kept(of whole: Int) -> Int { (whole * limit.leave + 99) / 100 }

  /// The server's report about a window, if it can be true.
  private func reading(of window: WriteBudgetWindow, at now: Instant) -> WriteBudgetReading? {
    guard !limit.ignoresReports, let reading = readings[window], reading.isPossible(at: now) else {
      return nil
    }
    return reading
  }

  private func leftAtServer(in window: WriteBudgetWindow, at now: Instant) -> Int {
    let reading = reading(of: window, at: now)
    let whole = reading?.limit ?? limit[window] ?? window.usualLimit
    let kept = kept(of: whole)
    if let reading, now < reading.resetsAt {
      // A spend in the same microsecond as the reading is assumed not to be included in it.
      let open = open.sum(after: .distantPast, through: reading.readAt - .microseconds(1))
      return min(reading.remaining, whole) - kept - open
        - spends.sum(after: reading.readAt - .microseconds(1))
    }
    // Spends from before the window was reset do not count in it. A report that it was reset before it was read
    // says nothing.
    let reset = reading.flatMap { $0.resetsAt > $0.readAt ? $0.resetsAt : nil }
    let start = max(now - window.length, reset ?? .distantPast)
    return whole - kept - spends.sum(after: start)
  }

  /// No more than this is ever left.
  private func most(at now: Instant) -> Int {
    WriteBudgetWindow.allCases.map { window in
      let whole = reading(of: window, at: now)?.limit ?? limit[window] ?? window.usualLimit
      return min(whole - kept(of: whole), limit[window].map { $0 - kept(of: $0) } ?? .max)
    }.min() ?? 0
  }

  /// Now, and the moments at which points come back, in their order; some come twice.
  private func moments(from now: Instant) -> ReturnMoments {
    let resets = WriteBudgetWindow.allCases.compactMap { reading(of: $0, at: now)?.resetsAt }
      .filter { $0 >= now }.sorted()
    let returns = WriteBudgetWindow.allCases.map { window in
      (moments: spends.moments(after: now - window.length), lag: window.length)
    }
    return ReturnMoments([([now], .zero), (resets[...], .zero)] + returns)
  }
}

/// Several sorted sequences of moments as one.
///
/// A day may have tens of thousands of spends, and usually only the first few moments are needed.
private struct ReturnMoments: Sequence, IteratorProtocol {
  private var sources: [(moments: ArraySlice<Instant>, lag: Duration)]

  init(_ sources: [(moments: ArraySlice<Instant>, lag: Duration)]) { self.sources = sources }

  mutating func next() -> Instant? {
    var earliest: (index: Int, moment: Instant)?
    for (index, source) in sources.enumerated() {
      guard let moment = source.moments.first.map({ $0 + source.lag }) else { continue }
      if earliest.map({ moment < $0.moment }) ?? true { earliest = (index, moment) }
    }
    guard let earliest else { return nil }
    sources[earliest.index].moments.removeFirst()
    return earliest.moment
  }
}

/// Points by their moments, with running sums: the sum of a period takes two searches.
private struct PointSums: Sendable, Hashable {
  /// In ascending order.
  private var moments: [Instant] = []
  /// The sum before each moment, and that of all.
  private var sums = [0]

  init(_ spends: [(at: Instant, points: Int)]) {
    for spend in spends.sorted(by: { $0.at < $1.at }) { insert(spend.points, at: spend.at) }
  }

  /// Adds points; usually the latest ones.
  mutating func insert(_ points: Int, at moment: Instant) {
    let place = count(through: moment)
    moments.insert(moment, at: place)
    sums.insert(sums[place], at: place)
    for later in (place + 1)..<sums.count { sums[later] += points }
  }

  /// The sum of the points after a moment, up to and including another one.
  func sum(after start: Instant, through end: Instant = .distantFuture) -> Int {
    let (first, last) = (count(through: start), count(through: end))
    return first < last ? sums[last] - sums[first] : 0
  }

  /// The moments after one.
  func moments(after start: Instant) -> ArraySlice<Instant> { moments[count(through: start)...] }

  /// How many there are up to and including a moment.
  private func count(through moment: Instant) -> Int {
    var (low, high) = (0, moments.count)
    while low < high {
      let middle = (low + high) / 2
      if moments[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// How many points of the write budget may be spent: never more, even if the server allows more.
///
/// Servers count a create as 3, an update as 2 and a delete as 1
/// <https://docs.bsky.app/docs/advanced-guides/rate-limits>. All changes of the account that share a journal
/// count, over the last hour and the last day. Once the server reports its own limit, the smaller one applies.
public struct WriteLimit: Sendable, Hashable {
  /// The most points of a window that are counted: more than anyone can spend, and few enough that no sum in
  /// a budget overflows.
  package static let mostPoints = 1_000_000_000

  /// The most points to spend within an hour, from 0 to a billion; nil for what the server allows, which is
  /// assumed to be 5,000 until it reports a number.
  public let perHour: Int?
  /// The most points to spend within a day, from 0 to a billion; nil for what the server allows, which is
  /// assumed to be 35,000 until it reports a number.
  public let perDay: Int?
  /// Percentage of both that is kept free for normal use; from 0 to 99.
  public let leave: Int
  /// The most changes to make within an hour, whatever they cost, from 1 to a billion; nil for as many as the points allow.
  /// All changes of the account count that are of a kind that the job makes, such as follows.
  public let changesPerHour: Int?
  /// The most changes to make within a day, likewise.
  public let changesPerDay: Int?
  /// Whether what the server reports is ignored; see ``JobOptions/ignoresReports``. A journal does not store it.
  package var ignoresReports = false

  /// Creates a limit; the default is what the server allows, with a fifth kept free.
  ///
  /// Each number is clamped to its range.
  public init(
    perHour: Int? = nil, perDay: Int? = nil, leave: Int = 20, changesPerHour: Int? = nil,
    changesPerDay: Int? = nil
  ) {
    self.perHour = perHour.map(Self.clamped)
    self.perDay = perDay.map(Self.clamped)
    self.changesPerHour = changesPerHour.map { max(1, Self.clamped($0)) }
    self.changesPerDay = changesPerDay.map { max(1, Self.clamped($0)) }
    self.leave = min(max(leave, 0), 99)
  }

  /// Clamps a number of points to the range that a window may have.
  static func clamped(_ points: Int) -> Int { min(max(points, 0), mostPoints) }

  /// The most changes of a window; nil if there is no limit.
  package func changes(in window: WriteBudgetWindow) -> Int? {
    window == .hour ? changesPerHour : changesPerDay
  }

  /// The most changes that can ever be made at once.
  package var mostChanges: Int { min(changesPerHour ?? .max, changesPerDay ?? .max) }

  /// The limit of a window; nil if there is none.
  package subscript(window: WriteBudgetWindow) -> Int? { window == .hour ? perHour : perDay }
}

/// A period for which a server counts points.
package enum WriteBudgetWindow: String, Sendable, Hashable, CaseIterable {
  case hour, day

  /// Its length.
  package var length: Duration { self == .hour ? .seconds(3_600) : .seconds(86_400) }

  /// The limit of the reference server, assumed until a server reports its own.
  var usualLimit: Int { self == .hour ? 5_000 : 35_000 }
}

/// Points that were spent, or set aside for a commit in flight.
package struct WriteBudgetSpend: Sendable, Hashable {
  /// When.
  package var at: Instant
  /// The number of points.
  package var points: Int
  /// The number of changes that they were spent for.
  package var changes: Int
  /// How many of them are of each kind; nil if that is not known.
  package var kinds: [ChangeKind: Int]?
  /// Whether the commit is in flight, in which case the server may not have counted it yet.
  package var isOpen: Bool

  /// Creates a spend.
  package init(
    at: Instant, points: Int, changes: Int = 0, kinds: [ChangeKind: Int]? = nil, isOpen: Bool = false
  ) {
    self.at = at
    self.points = points
    self.changes = changes
    self.kinds = kinds
    self.isOpen = isOpen
  }

  /// The number of changes of some kinds; of all for nil. Where the kinds are not known, all count.
  func changes(of wanted: Set<ChangeKind>?) -> Int {
    guard let wanted, let kinds else { return changes }
    return kinds.reduce(0) { wanted.contains($1.key) ? $0 + $1.value : $0 }
  }
}

extension WriteBudgetSpend {
  /// How many of the latest spends a journal keeps, however old they are: by a clock that is ahead, those of today are old.
  package static let mostKept = 1_000

  /// When a spend counts as made. One that lies in the future shows that the clock was set back: it counts from when that was
  /// noticed, so it is neither forgotten nor counted for ever.
  ///
  /// - Parameter noticed: when it was first found in the future; nil if it was not.
  package static func moment(of at: Instant, noticed: Instant?, at now: Instant) -> Instant {
    at <= now ? at : min(noticed ?? now, now)
  }
}

/// What a server reported about one of its windows, including what other apps spend.
package struct WriteBudgetReading: Sendable, Hashable {
  /// The window.
  package var window: WriteBudgetWindow
  /// Points that a whole window allows; clamped to 0 through ``WriteLimit/mostPoints``.
  package let limit: Int
  /// Points that were left at that time; clamped to the same range.
  package let remaining: Int
  /// When the window resets.
  package var resetsAt: Instant
  /// When the server reported it.
  package var readAt: Instant

  /// Creates a reading; points outside their range are clamped to it.
  package init(window: WriteBudgetWindow, limit: Int, remaining: Int, resetsAt: Instant, readAt: Instant) {
    self.window = window
    self.limit = WriteLimit.clamped(limit)
    self.remaining = WriteLimit.clamped(remaining)
    self.resetsAt = resetsAt
    self.readAt = readAt
  }

  /// Whether it can be true: a window with room for one record, that was read before now and resets within
  /// its length. Others come from a server's mistake, or from a clock here that was set back: they would hold
  /// a job for ever.
  func isPossible(at now: Instant) -> Bool {
    limit >= Self.leastLimit && readAt - now <= Self.clockTolerance
      && resetsAt - now <= window.length + Self.clockTolerance
  }

  /// The points of one record.
  private static let leastLimit = 3
  /// Readings of other processes may be a little newer than now.
  private static let clockTolerance = Duration.seconds(60)

  /// Reads the header fields of a response; nil if they are not about points.
  ///
  /// Servers report only the tightest of several limits, and one of those counts requests. The policy tells
  /// which limit it is; without one, its size does.
  /// - Parameter now: when the response came.
  package init?(_ rateLimit: RateLimit, at now: Instant) {
    guard let limit = rateLimit.limit, let remaining = rateLimit.remaining, let wait = rateLimit.untilReset
    else { return nil }
    guard
      let window = WriteBudgetWindow.allCases.first(where: { window in
        rateLimit.window.map { $0 == window.length } ?? (limit == window.usualLimit)
      })
    else { return nil }
    self.init(
      window: window, limit: limit, remaining: min(remaining, limit),
      resetsAt: now + min(wait, window.length), readAt: now)
  }
}
