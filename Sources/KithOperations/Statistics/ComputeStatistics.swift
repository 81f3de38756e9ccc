// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
public import KithInsights
public import KithRelationships

/// Computes statistics of an account: growth, churn, engagement, audience. There is a row for each number.
///
/// Snapshots that are missing or old are taken first; all of them if ``refreshes``, none if ``usesLastSnapshots``.
public struct ComputeStatistics: EstimatedOperation {
  public static let name = "computeStatistics"

  public var actor: DID
  public var metrics: Set<InsightMetric>
  /// The time zone of days, weeks and hours.
  public var clock: ZonedCalendar
  public var period = StatisticsPeriod.last(.days(30))
  /// Whether growth starts at the first day, regardless of the period.
  public var showsWholeGrowth = true
  /// The calendar unit of changes; nil for one that suits the period.
  public var unit: CalendarUnit?
  /// How many followers are sampled, and the reactions to how many posts are read; nil for the usual sizes.
  public var sample: Int?
  /// The most posts to read.
  public var mostPosts = 300
  /// Whether snapshots are taken first even if the last ones are new; not with ``isStored``.
  public var refreshes = false
  /// Whether the last snapshots are used however old they are, so that none is taken.
  public var usesLastSnapshots = false
  /// Whether growth starts at the first count, if counts of two weeks or more are shown.
  public var prefersCountedGrowth = false
  /// Whether only stored snapshots are used, without any call.
  public var isStored = false
  /// Whether the rows are read, or only the outcome.
  public var wantsRows = true

  public init(of actor: DID, _ metrics: Set<InsightMetric>, clock: ZonedCalendar = .utc) {
    self.actor = actor
    self.metrics = metrics
    self.clock = clock
  }

  /// Statistics, and what they lack.
  public struct Outcome: OutcomeOfRows {
    public let insights: AccountInsights
    /// What is incomplete, and why. They were reported, too.
    public let notes: [Note]
    /// The most severe kind of the failures that notes are about; nil if nothing failed.
    public let failure: FailureKind?
    /// How the rows ended.
    public let rows: RowsOutcome

    public var ending: Ending { Ending(rows, failure: failure) }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "notes": .array(notes.map { .object([OutputField("code", .string($0.code))] + $0.fields) }),
      ])
    }
  }

  /// - Throws: ``OperationError`` `noSnapshotOf` if nothing at all is known, `noHistory`, `emptyTime`;
  ///   `CancellationError`, because there are no numbers before everything is read.
  public func run(in workspace: Workspace, _ report: Reporter<FigureRow>) async throws -> Outcome {
    let store = isStored ? try workspace.historyToRead() : try workspace.history()
    var collector = StatisticsCollector(self, in: workspace, store: store, ReadingProgress(report))
    let insights = try await collector.collect()
    for note in collector.notes { report.note(note) }
    return Outcome(
      insights: insights, notes: collector.notes, failure: collector.failure,
      rows: await report.deliver(wantsRows ? rows(of: insights) : []))
  }

  private func rows(of insights: AccountInsights) -> [FigureRow] {
    InsightMetric.allCases.filter(metrics.contains).flatMap { metric in
      insights.figures(metric).map { FigureRow(actor: actor, figure: $0) }
    }
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    let identifier = ATIdentifier.did(actor)
    let counts = try await NetworkCounts(client: workspace.appview).entries(
      of: [.followers(of: identifier), .follows(of: identifier)])
    return cost(followers: counts[0], follows: counts[1], concurrency: workspace.concurrency)
  }

  /// What it would cost for an account with these counts.
  package func cost(followers: Int?, follows: Int?, concurrency: Int) -> CostPlan {
    let sizes = sampleSizes(followers: followers ?? 0)
    var plan = CostPlan(concurrency: concurrency)
    if !usesLastSnapshots { plan.addSnapshot(sides, followers: followers, follows: follows) }
    if needsDates { plan.addRelationships(of: min(sizes.dates, followers ?? sizes.dates)) }
    if wants(.cards) { plan.addRelationships(of: min(follows ?? 0, StatisticsCollector.mostAsked)) }
    plan.add(surveySize(sizes))
    plan.targets = followers
    return plan
  }

  private func surveySize(_ sizes: SampleSizes) -> SurveySize {
    var survey = SurveySize()
    survey.posts = needsPosts ? mostPosts : 0
    if needsProfiles { survey.profiles = sizes.profiles }
    if wants(.top) {
      (survey.reactions, survey.candidates) = (min(sizes.posts, mostPosts), SampleSizes.candidates)
      survey.influence = sizes.influence
    }
    if wants(.activity) { survey.activity = sizes.activity }
    if needsLatestPosts { survey.latestPosts = sizes.activity }
    return survey
  }
}
