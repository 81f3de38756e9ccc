// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// A question about a random history, the numbers of the library, and what another program needs to compute them.
struct ScheduleCase: Encodable {
  let seed: UInt64
  let zone: String
  /// Nil for the unit that suits the period.
  let unit: String?
  let now: Instant
  /// Nil for everything that is known.
  let period: [Instant]?
  let showsWholeGrowth: Bool
  let history: StoredHistory
  let truth: FollowerTruth
  /// When each snapshot read the listing.
  let reads: [String: Instant]
  /// How many followers the profile counts that no listing shows; nil if it shows no counts.
  let unlisted: Int?
  let rows: [FigureFields]

  init(seed: UInt64, in clock: ZonedCalendar) async throws {
    let history = try await ScheduledHistory(seed: seed)
    var numbers = SeededNumbers(seed: ~seed)
    let metrics = Set(InsightMetric.allCases.filter { !$0.needsServers })
    var request = ComputeStatistics(of: history.actor, metrics, clock: clock)
    request.isStored = true
    request.unit = [nil, .day, .week, .month, .year].randomElement(using: &numbers) ?? nil
    request.showsWholeGrowth = Bool.random(using: &numbers)
    request.period = Self.period(until: history.now, &numbers)
    self.seed = seed
    (zone, unit, now) = (clock.name, request.unit?.rawValue, history.now)
    period = try request.period.range(now: history.now + .microseconds(1)).map {
      [$0.lowerBound, $0.upperBound]
    }
    showsWholeGrowth = request.showsWholeGrowth
    self.history = try await StoredHistory(of: history)
    truth = history.truth
    reads = Dictionary(uniqueKeysWithValues: history.reads.map { ("\($0)", $1) })
    unlisted = history.unlisted
    rows = try await Self.figures(request, of: history).map(FigureFields.init)
  }

  private static func period(until now: Instant, _ numbers: inout SeededNumbers) -> StatisticsPeriod {
    func moment(_ days: ClosedRange<Int>) -> StatisticsPeriod.Moment {
      .ago(.seconds(Int.random(in: days.lowerBound * 86_400...days.upperBound * 86_400, using: &numbers)))
    }
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0, 1: return .whole
    case 2: return .last(.days(30))
    case 3: return .last(.days(365))
    case 4: return .between(moment(8...400), nil)
    default: return .between(moment(60...500), moment(1...59))
    }
  }

  private static func figures(
    _ request: ComputeStatistics, of history: ScheduledHistory
  ) async throws -> [Figure] {
    let (store, now) = (history.store, history.now)
    let journal = InMemoryJobStore(), sessions = InMemorySessionStore()
    let workspace = Workspace(
      ServiceNetwork(
        ServiceNetwork.Services(
          appview: try ServiceURL(parsing: "https://appview.test"),
          plc: try ServiceURL(parsing: "https://plc.test")),
        transport: ScriptedTransport([]), texts: nil,
        time: ManualClock(.skipping).timeSource(wallAtZero: now)),
      stores: Stores(
        sessions: { sessions }, knownAccounts: nil, journal: { _ in journal }, history: { _ in store }))
    let rows = PosixMutex<[FigureRow]>([])
    _ = try await request.run(in: workspace, Reporter(rows: { more in rows.withLock { $0 += more } }))
    return rows.withLock { $0.map(\.figure) }
  }
}

/// The fields of a number, except for those of accounts.
struct FigureFields: Encodable {
  let metric: String, key: String, unit: String
  let from: Instant?, to: Instant?, after: Instant?, before: Instant?
  let value: Double?, low: Double?, high: Double?
  let sample: Int?
  let note: String?

  init(_ figure: Figure) {
    (metric, key, unit) = (figure.metric.rawValue, figure.key, figure.unit.rawValue)
    (from, to, after, before) = (figure.from, figure.to, figure.after, figure.before)
    (value, low, high) = (figure.value, figure.low, figure.high)
    (sample, note) = (figure.sampleSize, figure.note)
  }
}

/// What a store knows about an account.
struct StoredHistory: Encodable {
  struct Taken: Encodable {
    let number: Int64
    let startedAt: Instant, endedAt: Instant
    let isFull: Bool, isDoubtful: Bool
    let listed: Int, gained: Int, lost: Int, unconfirmed: Int, doubted: Int
    let counted: Int?
  }

  struct Stay: Encodable {
    let account: String
    /// The numbers of snapshots.
    let first: Int64, lost: Int64?
    let cause: String?
    let claimed: Instant?
    let isReturn: Bool, isSampled: Bool
  }

  struct Side: Encodable {
    let snapshots: [Taken]
    let stays: [Stay]
  }

  struct Count: Encodable {
    let at: Instant
    let followers: Int?, follows: Int?, posts: Int?
    let isDoubted: Bool
  }

  struct Goal: Encodable {
    let goal: Int, start: Int
  }

  struct Segment: Encodable {
    let name: String, predicate: String
    let moments: [Instant], counts: [Int]
  }

  let followers: Side, follows: Side, blocks: Side
  let counts: [Count]
  let goal: Goal?
  let segments: [Segment]

  init(of history: ScheduledHistory) async throws {
    let (store, actor) = (history.store, history.actor)
    followers = try await Side(HistoryListing(.followers, of: actor), in: store)
    follows = try await Side(HistoryListing(.follows, of: actor), in: store)
    blocks = try await Side(HistoryListing(.blocks, of: actor), in: store)
    counts = try await store.counts(of: actor, since: .distantPast).map {
      Count(
        at: $0.at, followers: $0.value.followers, follows: $0.value.follows, posts: $0.value.posts,
        isDoubted: $0.isDoubted)
    }
    goal = try await store.goal(of: actor).map { Goal(goal: $0.followers, start: $0.start) }
    var segments: [Segment] = []
    for segment in try await store.segments() {
      let counts = try await store.counts(of: segment.name, for: actor)
      segments.append(
        Segment(
          name: segment.name, predicate: segment.predicate, moments: counts.map(\.at),
          counts: counts.map(\.value)))
    }
    self.segments = segments
  }
}

extension StoredHistory.Side {
  init(_ listing: HistoryListing, in store: any HistoryStore) async throws {
    let complete = try await store.snapshots(of: listing).filter { $0.state == .complete }
    let sample = complete.compactMap(\.dateSample).max { $0.largest < $1.largest } ?? .all
    snapshots = complete.map { snapshot in
      StoredHistory.Taken(
        number: snapshot.id.number, startedAt: snapshot.startedAt,
        endedAt: snapshot.endedAt ?? snapshot.startedAt, isFull: snapshot.extent == .full,
        isDoubtful: snapshot.note != nil, listed: snapshot.counts.listed, gained: snapshot.counts.gained,
        lost: snapshot.counts.lost, unconfirmed: snapshot.counts.unconfirmed,
        doubted: snapshot.counts.doubted, counted: snapshot.counts.counted
      )
    }
    stays = try await store.intervals(of: listing, after: nil, most: .max).map { interval in
      StoredHistory.Stay(
        account: interval.edge.account.description, first: interval.first.id.number,
        lost: interval.lostIn?.id.number, cause: interval.loss?.cause.rawValue,
        claimed: interval.edge.rkey?.tid?.instant, isReturn: interval.isReturn,
        isSampled: sample.contains(interval.edge.account))
    }
  }
}
