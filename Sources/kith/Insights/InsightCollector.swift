// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipInsights
import Relationships

/// The requested analytics of an account.
struct InsightRequest {
  let actor: DID
  let metrics: Set<InsightMetric>
  let clock: ZonedClock
  let options: InsightOptions

  /// Whether any metric is based on snapshots of followers.
  var needsFollowers: Bool {
    let others: Set<InsightMetric> = [.goal, .forecast, .segments]
    return !metrics.subtracting(others).isEmpty
  }

  /// Whether any metric depends on follow dates.
  var needsDates: Bool {
    !metrics.isDisjoint(with: [.growth, .flow, .cohorts, .followBack, .engagement, .times])
  }

  var needsFollows: Bool { !metrics.isDisjoint(with: [.cards, .followBack]) }

  var needsBlocks: Bool { metrics.contains(.blocks) || metrics.contains(.cards) }

  var needsPosts: Bool { !metrics.isDisjoint(with: [.engagement, .times, .top]) }

  /// Whether any metric needs a sample of the followers.
  var needsSample: Bool { !metrics.isDisjoint(with: [.top, .activity, .audience, .bots]) }

  /// The sides of which snapshots are needed.
  var sides: [HistoryListing.Side] {
    (needsFollowers ? [.followers] : []) + (needsFollows ? [.follows] : []) + (needsBlocks ? [.blocks] : [])
  }

  func wants(_ metric: InsightMetric) -> Bool { metrics.contains(metric) }
}

/// Reads the data for analytics, from snapshots first and from servers if needed, and computes them.
struct InsightCollector {
  /// A snapshot that began within this time, one day in microseconds, is not repeated.
  static let freshness: Int64 = 86_400_000_000

  let wiring: Wiring
  let store: any HistoryStore
  let request: InsightRequest
  let progress: ProgressLine

  var actor: DID { request.actor }
  var now: Int64 { wiring.time.microsecondsSinceEpoch }

  /// Messages about incomplete data.
  private(set) var notes: [Message] = []
  /// The most severe status of all failures.
  private(set) var status = ExitStatus.success

  init(wiring: Wiring, store: any HistoryStore, request: InsightRequest, progress: ProgressLine) {
    self.wiring = wiring
    self.store = store
    self.request = request
    self.progress = progress
  }

  mutating func note(_ message: Message, _ status: ExitStatus = .success) {
    notes.append(message)
    self.status = self.status.orMoreSevere(status)
  }

  /// Computes all requested analytics.
  ///
  /// - Throws: ``CommandFault`` if nothing at all is known; errors of the store; `CancellationError`.
  mutating func collect() async throws -> AccountInsights {
    if !request.options.stored { try await takeSnapshots() }
    let dates = request.needsDates && !request.options.stored ? try await learnDates() : nil
    let followers =
      request.needsFollowers
      ? try await FollowerHistory(
        HistoryListing(.followers, of: actor), in: store,
        keepsAccounts: request.wants(.followBack) || request.wants(.cards) || request.needsSample)
      : FollowerHistory()
    if request.needsFollowers, followers.last == nil {
      throw CommandFault(.notFound, .noSnapshotOf(actor))
    }
    let profile = try await store.counts(of: actor, since: .min)
    // `now + 1` includes the count of this moment.
    let time = try request.options.time(now: now + 1) ?? whole(followers, profile)
    let names = try await wiring.names().views(of: [actor], asking: !request.options.stored)
    var insights = AccountInsights(
      of: InsightAccount(names[actor] ?? AccountView(actor)), at: now, in: time, clock: request.clock)
    insights.followerCounts = profile.counts(\.followers)

    let isSampled = dates?.isSampled ?? (request.needsDates && hasUndated(followers))
    try await workOutFollowers(&insights, followers, profile, isSampled: isSampled)
    try await workOutGoals(&insights)
    if !request.options.stored { try await survey(&insights, followers, isSampled: isSampled) }
    insights.notes = notes.map(\.text)
    return insights
  }

  /// The period from the first known data to now.
  private func whole(_ followers: FollowerHistory, _ profile: [CountsAtTime]) -> Range<Int64> {
    let moments = [
      followers.memberships.lazy.compactMap(\.came).min(), followers.counts.first?.at, profile.first?.at,
    ].compactMap(\.self)
    return min(moments.min() ?? now, now)..<now + 1
  }

  /// Whether only some of the followers in the first snapshot have a follow date.
  private func hasUndated(_ followers: FollowerHistory) -> Bool {
    followers.memberships.contains { $0.isFromBefore && $0.claimed == nil }
      && followers.memberships.contains { $0.isFromBefore && $0.claimed != nil }
  }

  // MARK: Snapshots

  /// Takes snapshots that are missing or older than a day.
  private mutating func takeSnapshots() async throws {
    var stale: [HistoryListing.Side] = []
    for side in request.sides {
      let last = try await store.snapshots(of: HistoryListing(side, of: actor)).last { $0.state == .complete }
      if (last?.startedAt ?? .min) < now - Self.freshness { stale.append(side) }
    }
    guard !stale.isEmpty || (request.sides.isEmpty && !request.metrics.isEmpty) else { return }
    let (names, progress) = (wiring.names(), progress)
    var faults: [(Snapshot, any Error)] = []
    try await wiring.recorder(to: store, as: nil).take(of: actor, stale) { views in
      progress.advance(by: views.count)
      await names.remember(views)
    } taken: { outcome in
      if let fault = outcome.fault { faults.append((outcome.snapshot, fault)) }
    }
    for (snapshot, fault) in faults {
      // Earlier snapshots are still usable.
      let known = try await store.snapshots(of: snapshot.listing).contains { $0.state == .complete }
      guard known || snapshot.listing.side != .followers else { throw fault }
      note(.snapshotFailed(snapshot, fault), CommandFault(fault)?.status ?? .unavailable)
    }
  }

  private mutating func learnDates() async throws -> FollowerDates {
    let last = try await store.snapshots(of: HistoryListing(.followers, of: actor)).last {
      $0.state == .complete
    }
    let sizes = SampleSizes(request.options.sample, followers: last?.counts.listed ?? 0)
    let progress = progress
    let dates = try await wiring.recorder(to: store, as: nil).learnDates(of: actor, sample: sizes.dates) {
      progress.advance(by: $0)
    }
    if let fault = dates.fault {
      note(.datesNotLearned(dates, fault), CommandFault(fault)?.status ?? .unavailable)
    }
    return dates
  }

  // MARK: Snapshot metrics

  private mutating func workOutFollowers(
    _ insights: inout AccountInsights, _ followers: FollowerHistory, _ profile: [CountsAtTime],
    isSampled: Bool
  ) async throws {
    let (clock, time) = (request.clock, insights.time)
    let unit = request.options.unit(for: time)
    let follows =
      request.needsFollows
      ? try await FollowerHistory(HistoryListing(.follows, of: actor), in: store, keepsAccounts: true)
      : FollowerHistory()
    if request.wants(.growth) {
      let growth = GrowthCurve(
        followers.memberships, counts: followers.counts, by: .day, isSampled: isSampled, clock: clock)
      insights.growth = request.options.isGrowthWhole ? growth : growth.during(time)
    }
    if request.wants(.flow) {
      insights.flows = AudienceFlow.flows(
        of: followers.memberships, counts: followers.counts, by: unit, clock: clock, in: time)
    }
    if request.wants(.cohorts), let first = followers.counts.first, let last = followers.counts.last {
      insights.cohorts = Cohort.cohorts(
        of: followers.memberships, by: .month, snapshots: first.at...last.at, clock: clock)
    }
    if request.wants(.followBack), follows.last != nil {
      insights.followBack = FollowBackTimes(follows: follows.present, followers: followers.present)
    }
    if request.needsBlocks { try await workOutBlocks(&insights, followers, unit) }
    if request.wants(.cards) {
      var overview = insights.overview ?? Overview()
      overview.followers = Trend(of: profile.counts(\.followers), in: time)
      overview.follows = Trend(of: profile.counts(\.follows), in: time)
      overview.posts = Trend(of: profile.counts(\.posts), in: time)
      if followers.last != nil, follows.last != nil {
        overview.mutuals = follows.present.keys.count { followers.present[$0] != nil }
        overview.unlistedFollowers = overview.followers.map { max(0, $0.value - followers.present.count) }
      }
      insights.overview = overview
    }
  }

  private mutating func workOutBlocks(
    _ insights: inout AccountInsights, _ followers: FollowerHistory, _ unit: CalendarUnit
  ) async throws {
    let blocks = try await FollowerHistory(
      HistoryListing(.blocks, of: actor), in: store, keepsAccounts: false)
    if blocks.last != nil {
      insights.overview = insights.overview ?? Overview()
      insights.overview?.blocks = Trend(of: blocks.counts, in: insights.time)
    }
    guard request.wants(.blocks) else { return }
    var blockers = followers.blockers
    let index = request.options.stored ? nil : wiring.index
    if index != nil { try await readBlockers(into: &blockers) }
    let days = AudienceFlow.flows(
      of: followers.memberships, counts: followers.counts, by: .day, clock: request.clock)
    insights.blocks = BlockTimeline(
      blocking: blocks.memberships.map(\.came), blockedBy: Array(blockers.values),
      knowsOnlyLosses: index == nil, flows: days, by: unit, clock: request.clock, in: insights.time)
  }

  /// Reads from the index who blocks the actor, with the dates in the records.
  private mutating func readBlockers(into blockers: inout [DID: Int64]) async throws {
    var listing = wiring.listings(by: wiring.appview, remembering: true)
      .accounts(.blockers(of: .did(actor))).makeAsyncIterator()
    do {
      while let view = try await listing.next() {
        if let since = view.since { blockers[view.account] = since.microsecondsSinceEpoch }
        progress.advance()
      }
    } catch {
      guard let fault = CommandFault(error), !(error is CancellationError) else { throw error }
      note(.insightPartMissing("blocks of the account", fault), fault.status)
    }
  }

  private mutating func workOutGoals(_ insights: inout AccountInsights) async throws {
    if request.wants(.forecast) || request.wants(.goal) {
      let forecast: Result<Forecast, Forecast.Refusal>
      do throws(Forecast.Refusal) {
        forecast = .success(try Forecast(of: insights.followerCounts, days: Forecast.mostDays))
      } catch { forecast = .failure(error) }
      if request.wants(.forecast) { insights.forecast = forecast.map { $0.prefix(90) } }
      if request.wants(.goal), let goal = try await store.goal(of: actor),
        let value = insights.followerCounts.last?.count
      {
        insights.goal = GoalProgress(
          goal.followers, from: goal.start, now: value, forecast: try? forecast.get())
      }
    }
    guard request.wants(.segments) else { return }
    for segment in try await store.segments() {
      let counts = try await store.counts(of: segment.name, for: actor)
      guard !counts.isEmpty else { continue }
      insights.segments.append(
        SegmentTrend(
          name: segment.name, predicate: segment.predicate,
          counts: counts.map { CountAtMoment(at: $0.at, $0.members) }))
    }
  }
}

extension InsightAccount {
  init(_ view: AccountView) {
    let handle = view.handle.flatMap { $0.isInvalid ? nil : $0.description }
    self.init(view.account, handle: handle, displayName: view.displayName)
  }
}

extension [CountsAtTime] {
  /// One of the counts over time, without unknown values.
  func counts(_ part: (AccountView.Counts) -> Int?) -> [CountAtMoment] {
    compactMap { counts in part(counts.counts).map { CountAtMoment(at: counts.at, $0) } }
  }
}
