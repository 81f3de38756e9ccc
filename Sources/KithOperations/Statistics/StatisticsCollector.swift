// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithRelationships
import KithWriting

/// Reads the data for analytics, from snapshots first and from servers if needed, and computes them.
struct StatisticsCollector {
  /// A snapshot that began within this time is not repeated.
  static let freshness = Duration.days(1)

  let workspace: Workspace
  let store: any HistoryStore
  let request: ComputeStatistics
  let progress: ReadingProgress

  var actor: DID { request.actor }
  /// When the data was read: one time for a whole report, whatever it takes.
  private(set) var now: Instant

  /// The profile of the account, if a server has shown it during this run.
  private var profileView: AccountView?
  /// What the numbers lack.
  private var gaps: [InsightGap] = []
  /// The same for the caller.
  private(set) var notes: [Note] = []
  /// The most severe kind of all failures; nil if nothing failed.
  private(set) var failure: FailureKind?

  init(
    _ request: ComputeStatistics, in workspace: Workspace, store: any HistoryStore,
    _ progress: ReadingProgress
  ) {
    self.workspace = workspace
    self.store = store
    self.request = request
    self.progress = progress
    now = workspace.time.instant
  }

  /// Notes what the numbers lack.
  ///
  /// - Parameters:
  ///   - error: the failure that it is about, if it is about one.
  ///   - note: what is reported; the gap itself by default.
  mutating func lack(_ gap: InsightGap, because error: (any Error)? = nil, as note: Note? = nil) {
    gaps.append(gap)
    notes.append(note ?? .incomplete(gap, because: error))
    if let error { fail((FailureKind(error) ?? .unavailable)) }
  }

  mutating func fail(_ kind: FailureKind) { failure = kind.orMoreSevere(failure) }

  /// Computes all requested analytics.
  ///
  /// - Throws: ``OperationError`` `noSnapshotOf` if nothing at all is known; errors of the store; `CancellationError`.
  mutating func collect() async throws -> AccountInsights {
    if request.isStored {
      noteWhatNeedsServers()
    } else {
      try await takeSnapshots()
      if request.needsDates { try await learnDates() }
      now = workspace.time.instant
    }
    // The count of this moment is included.
    let period = try request.period.range(now: now + .microseconds(1))
    let followers =
      request.needsFollowers
      ? try await FollowerHistory(
        HistoryListing(.followers, of: actor), in: store, now: now,
        keepsAccounts: request.wants(.followBack) || request.wants(.cards) || request.needsSample,
        changesIn: request.showsPeople ? period ?? .distantPast ..< .distantFuture : nil)
      : FollowerHistory()
    if request.needsFollowers, followers.last == nil {
      throw OperationError.noSnapshotOf(actor)
    }
    let profile = try await ProfileCounts(of: actor, in: store, until: now)
    if let doubted = profile.doubtedAt { lack(.countsDoubted(at: doubted)) }
    let time = period ?? whole(followers, profile)
    let view =
      if let profileView { profileView } else {
        try await workspace.names().views(of: [actor], asking: !request.isStored)[actor] ?? AccountView(actor)
      }
    var insights = AccountInsights(
      of: InsightAccount(view), at: now, in: time, clock: request.clock)
    insights.followerCounts = profile.followers
    insights.listing = followers.listing.series.last(before: time.upperBound)
    if let listing = insights.listing, let change = insights.changeSinceListing {
      lack(.listingOld(since: listing.endedAt, change: change))
    }

    try await computeFollowerMetrics(&insights, followers, profile)
    try await computeGoals(&insights)
    if !request.isStored { try await survey(&insights, followers) }
    insights.gaps = gaps
    return insights
  }

  /// The period from the first known data to now.
  private func whole(_ followers: FollowerHistory, _ profile: ProfileCounts) -> Range<Instant> {
    let moments = [
      followers.listing.memberships.lazy.compactMap(\.arrivedAt).min(),
      followers.listing.series.counts.first?.at,
      profile.firstAt,
    ].compactMap(\.self)
    return min(moments.min() ?? now, now)..<now + .microseconds(1)
  }

  func history(_ side: HistoryListing.Side, keepsAccounts: Bool) async throws -> FollowerHistory {
    try await FollowerHistory(
      HistoryListing(side, of: actor), in: store, now: now, keepsAccounts: keepsAccounts)
  }

  /// Notes which metrics the stored data cannot show.
  private mutating func noteWhatNeedsServers() {
    let missing = InsightMetric.allCases.filter { request.wants($0) && $0.needsServers }
    if !missing.isEmpty { lack(.metricsNeedServers(missing)) }
    if request.wants(.blocks), workspace.index != nil { lack(.blockersNeedServers) }
  }

  // MARK: Snapshots

  /// Takes snapshots that are missing or older than a day.
  private mutating func takeSnapshots() async throws {
    let recorder = workspace.recorder(to: store, as: nil)
    let stale = try await staleSides()
    if stale.isEmpty { return try await readCounts(recorder) }
    let progress = progress
    var (faults, view) = ([(Snapshot, any Error)](), AccountView?.none)
    for side in stale {
      do {
        try await recorder.takeSnapshots(of: actor, [side]) { count in
          progress.advance(by: count)
        } onSnapshot: { outcome in
          view = outcome.actor ?? view
          if let fault = outcome.fault { faults.append((outcome.snapshot, fault)) }
        }
      } catch let error as HistoryError where error.code == .inUse {
        try await useStored(side, instead: error)
      }
    }
    profileView = view
    for (snapshot, fault) in faults {
      // Earlier snapshots are still usable.
      let known = try await isKnown(snapshot.listing.side)
      guard known || snapshot.listing.side != .followers else { throw fault }
      lack(
        .snapshotFailed(listing: snapshot.listing.side.rawValue, reason: "\(fault)"), because: fault,
        as: .snapshotFailed(snapshot, fault))
    }
  }

  /// The sides whose last snapshot is missing or older than a day, or older than what the account changed since; all if
  /// that was asked for.
  private func staleSides() async throws -> [HistoryListing.Side] {
    if request.usesLastSnapshots { return [] }
    if request.refreshes { return request.sides }
    var stale: [HistoryListing.Side] = []
    // Numbers need no journal: what is wrong with it is reported where it is needed.
    let journal = try? workspace.jobStoreToRead()
    for side in request.sides {
      let last = try await store.snapshots(of: HistoryListing(side, of: actor)).last { $0.state == .complete }
      // A time after now shows that the clock was wrong, not that the snapshot is new.
      guard let last, (now - Self.freshness...now).contains(last.startedAt) else {
        stale.append(side)
        continue
      }
      // Followers are read again only if they are old: an own block hides few of them.
      guard side != .followers, let jobs = try? await journal?.jobs(endedAfter: last.startedAt) else {
        continue
      }
      if jobs.contains(where: { $0.account == actor }) { stale.append(side) }
    }
    return stale
  }

  /// Reads the counts of this moment, if any metric shows them.
  private mutating func readCounts(_ recorder: SnapshotRecorder) async throws {
    guard !request.metrics.isEmpty else { return }
    do {
      profileView = try await recorder.recordCounts(of: actor)
    } catch let error as RelationshipError {
      guard let last = try await store.countsInOrder(of: actor, until: now).last else { throw error }
      lack(.countsOld(since: last.at, reason: "\(error)"), because: error)
    }
  }

  /// Notes that another process is taking the snapshot, so that the last one is used.
  ///
  /// - Throws: the error if there is none.
  private mutating func useStored(_ side: HistoryListing.Side, instead error: HistoryError) async throws {
    guard try await isKnown(side) else { throw error }
    lack(.snapshotInProgress(listing: side.rawValue))
  }

  private func isKnown(_ side: HistoryListing.Side) async throws -> Bool {
    try await store.snapshots(of: HistoryListing(side, of: actor)).contains { $0.state == .complete }
  }

  private mutating func learnDates() async throws {
    let last = try await store.snapshots(of: HistoryListing(.followers, of: actor)).last {
      $0.state == .complete
    }
    let sizes = request.sampleSizes(followers: last?.counts.listed ?? 0)
    let progress = progress
    let dates = try await workspace.recorder(to: store, as: nil).learnDates(
      of: actor, sample: sizes.dates
    ) {
      progress.advance(by: $0)
    }
    if let fault = dates.fault {
      lack(
        .datesMissing(dated: dates.dated, wanted: dates.wanted, reason: "\(fault)"), because: fault)
    }
  }

  // MARK: Snapshot metrics

  private mutating func computeFollowerMetrics(
    _ insights: inout AccountInsights, _ followers: FollowerHistory, _ profile: ProfileCounts
  ) async throws {
    let (clock, time) = (request.clock, insights.time)
    let unit = request.unit(for: time, apart: followers.listing.series.typicalDistance)
    let follows =
      request.needsFollows ? try await history(.follows, keepsAccounts: true) : FollowerHistory()
    if request.wants(.growth) {
      let growth = GrowthCurve(
        followers.listing, profile: insights.followerCounts, by: .day, clock: clock)
      let shown = request.showsWholeGrowth ? growth : growth.during(time)
      insights.growth = request.prefersCountedGrowth ? shown.fromFirstCount : shown
    }
    if request.wants(.flow) {
      // Of the future, nothing is known, and it may be long.
      let past = time.clamped(to: .distantPast..<now + .microseconds(1))
      insights.flows = AudienceFlow.flows(of: followers.listing, by: unit, clock: clock, in: past)
    }
    insights.wantsPeople = request.showsPeople
    if let pair = followers.pair { insights.changes = try await changes(followers, between: pair) }
    if request.wants(.cohorts) {
      insights.cohorts = Cohort.cohorts(of: followers.listing, by: .month, clock: clock)
    }
    if request.wants(.followBack), follows.last != nil {
      insights.followBack = FollowBackTimes(
        follows: others(among: follows), followers: followers.present)
    }
    if request.needsBlocks { try await workOutBlocks(&insights, followers, unit) }
    if request.wants(.cards) {
      var overview = insights.overview ?? Overview()
      overview.followers = Trend(of: profile.followers, in: time)
      overview.follows = Trend(of: profile.follows, in: time)
      overview.posts = Trend(of: profile.posts, in: time)
      // Today's listings say nothing about another time.
      if followers.last != nil, follows.last != nil, !insights.isPast {
        try await countMutuals(&overview, followers, follows)
      }
      insights.overview = overview
    }
  }

  /// Who came and who left between two snapshots, with names: 1 call.
  private func changes(
    _ followers: FollowerHistory, between pair: SnapshotPair
  ) async throws -> AudienceChanges {
    // The latest of each kind; all of them would be too many to name.
    func latest(_ changes: [FollowerChange]) -> [FollowerChange] {
      Array(changes.sorted { $1.time.by < $0.time.by }.prefix(AudienceChanges.mostShown))
    }
    let (came, left) = (followers.changes(.came), followers.changes(.left))
    let (lastCame, lastLeft) = (latest(came), latest(left))
    let names = try await workspace.names().views(
      of: (lastCame + lastLeft).map(\.account), asking: !request.isStored)
    func named(_ change: FollowerChange) -> AudienceChanges.Change {
      let view = names[change.account] ?? AccountView(change.account)
      return AudienceChanges.Change(
        InsightAccount(view), followers: view.counts?.followers, change.time,
        reason: change.kind == .came ? nil : (change.cause ?? .unknown).words)
    }
    var totals = AudienceChanges.Totals()
    (totals.came, totals.left) = (came.count, left.count)
    (totals.hidden, totals.shown) = (followers.changes(.hidden).count, followers.changes(.shown).count)
    return AudienceChanges(came: lastCame.map(named), left: lastLeft.map(named), totals, between: pair)
  }

  /// The follows without that of oneself, which is not a mutual (Q4).
  private func others(among follows: FollowerHistory) -> [DID: Instant?] {
    follows.present.filter { $0.key != actor }
  }

  /// The most follows that are asked about one by one: 100 calls.
  static let mostAsked = 3_000

  /// Counts the follows that follow back: those that the listing of followers shows, and those of the others that
  /// the AppView names when asked.
  private mutating func countMutuals(
    _ overview: inout Overview, _ followers: FollowerHistory, _ follows: FollowerHistory
  ) async throws {
    let followed = others(among: follows)
    let others = followed.keys.filter { followers.present[$0] == nil }.sorted()
    overview.mutuals = followed.count - others.count
    overview.mutualsAt = [followers, follows].compactMap { $0.listing.series.snapshots.last?.endedAt }.min()
    let unlisted = overview.followers.map { max(0, $0.value - followers.present.count) }
    overview.unlistedFollowers = unlisted
    guard !request.isStored, unlisted ?? 0 > 0, others.count <= Self.mostAsked else { return }
    let survey = AudienceSurvey(workspace.listings(by: workspace.appview, usingCache: true))
    let answers = try await survey.followers(among: others, of: actor)
    overview.mutuals = followed.count - others.count + answers.count
    // Followers that are not among the follows cannot be mutuals.
    overview.unlistedFollowers = others.count - answers.asked
  }

  private mutating func workOutBlocks(
    _ insights: inout AccountInsights, _ followers: FollowerHistory, _ unit: CalendarUnit
  ) async throws {
    let blocks = try await history(.blocks, keepsAccounts: false)
    if blocks.last != nil {
      insights.overview = insights.overview ?? Overview()
      insights.overview?.blocks = Trend(of: blocks.listing.series.counts, in: insights.time)
    }
    guard request.wants(.blocks) else { return }
    var blockers = BlockTimeline.Blockers.losses
    if !request.isStored, workspace.index != nil, let found = try await readBlockers() {
      let others = followers.blockers.filter { (found[$0.key] ?? nil) == nil }
      blockers = .index(found.values.compactMap(\.self), losses: Array(others.values))
    }
    insights.blocks = BlockTimeline(
      own: blocks.listing, blockers: blockers, audience: followers.listing, by: unit, clock: request.clock,
      in: insights.time)
  }

  /// Reads from the index who blocks the actor, with the dates in the records; nil if it cannot be read to its end.
  private mutating func readBlockers() async throws -> [DID: Instant?]? {
    var listing = workspace.listings(by: workspace.appview, usingCache: true)
      .accounts(.blockers(of: .did(actor))).makeAsyncIterator()
    var found: [DID: Instant?] = [:]
    do {
      while let view = try await listing.next() {
        found[view.account] = .some(view.since?.instant)
        progress.advance()
      }
      return found
    } catch {
      try noteMissing(.blocks, error)
      return nil
    }
  }

  private mutating func computeGoals(_ insights: inout AccountInsights) async throws {
    // Charts of followers draw it as a line.
    let goal =
      request.metrics.isDisjoint(with: [.goal, .growth, .forecast]) ? nil : try await store.goal(of: actor)
    if request.wants(.forecast) || goal != nil {
      let forecast = Forecast.result(of: insights.followerCounts)
      if request.wants(.forecast) { insights.forecast = forecast.map { $0.prefix(90) } }
      if let goal, let value = insights.followerCounts.last?.value {
        insights.goal = GoalProgress(
          goal.followers, from: goal.start, now: value, forecast: forecast)
      }
    }
    guard request.wants(.segments) else { return }
    for segment in try await store.segments() {
      let counts = try await store.counts(of: segment.name, for: actor)
      guard !counts.isEmpty else { continue }
      insights.segments.append(
        SegmentTrend(
          name: segment.name, predicate: segment.predicate,
          counts: counts.map { Sample<Int>(at: $0.at, $0.value) }))
    }
  }
}
