// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
public import KithWriting

/// Shows what ``ChangeRelationships`` would do, without changing anything.
public struct PreviewChanges: KithOperation {
  /// Requests that are planned at once, if they do not depend on each other.
  private static let portion = 10_000

  /// What would be done.
  public var change: ChangeRelationships
  /// Whether all requests are planned at once, because one depends on others or the plan as a whole is looked at.
  public var plansTogether = false
  /// The limit for the estimate of the write budget.
  public var limit = WriteLimit()

  public init(_ change: ChangeRelationships) { self.change = change }

  /// What would be done.
  public struct Outcome: Sendable {
    /// The rows by state.
    public fileprivate(set) var tally = ChangeTally()
    /// The number of requests that would be sent.
    public fileprivate(set) var affected = 0
    /// The points of the write budget that they take.
    public fileprivate(set) var points = 0
    /// How long the budget takes to allow them; nil if it never does.
    public fileprivate(set) var wait: Duration?
    /// What is unusual about this number of changes; nil if nothing is.
    public fileprivate(set) var warning: MassChangeWarning?
  }

  /// - Throws: ``OperationError`` `interrupted` if the task is cancelled; what `ChangeEngine` throws.
  public func run(in workspace: Workspace, _ report: Reporter<ChangeRow>) async throws -> Outcome {
    let (account, clock) = change.account.observingClock()
    defer { report.say(clock) }
    // Nothing is written, so no place for a journal is needed.
    let engine = workspace.engine(of: account, journal: try workspace.jobStoreToRead())
    let requests = change.requests
    let isOne = plansTogether || requests.contains { $0.named?.intent.list != nil }
    var outcome = Outcome()
    var total = Total()
    var earlier: Set<ChangeIntent> = []
    for portion in isOne ? [requests] : requests.parts(of: Self.portion) {
      let plan = try await plan(portion, after: &earlier, engine, report)
      // Nothing is sent that would have to wait.
      await change.remains?.look()
      report.say(plan, after: &total.faults, withRecords: total.plans == 0)
      report.note(.planned(plan, isAsked: false))
      var rows = ChangeRows(
        portion, plan, title: change.title, namingEach: change.namesEachChange, ifTaken: .planned,
        beside: change.remains, after: outcome.tally)
      var batch = RowBatch(to: report)
      while let row = rows.next(whatever: true) { try await batch.append(row) }
      try await batch.flush()
      total.add(plan)
      outcome.tally = rows.tally
      outcome.affected += plan.affected
      outcome.points += plan.points
    }
    outcome.warning = total.warning
    if outcome.affected > 1, outcome.points > 0 || limit.mostChanges < .max {
      outcome.wait = try await JobManager(journal: engine.journal, time: workspace.time).time(
        toSpend: outcome.points, changes: outcome.affected, of: total.kinds, by: engine.account, within: limit
      )
    }
    return outcome
  }

  private func plan(
    _ portion: [RequestedChange], after earlier: inout Set<ChangeIntent>, _ engine: ChangeEngine,
    _ report: Reporter<ChangeRow>
  ) async throws -> ChangePlan {
    do {
      return try await engine.plan(
        portion.compactMap(\.named), after: &earlier, lifetime: change.lifetime, narrowing: change.narrowing
      ) { report.progress?(.reached($0)) }
    } catch {
      throw Task.isCancelled ? OperationError.interrupted : UnrecordedChangeError.wrapping(error)
    }
  }

  /// What the plans of several portions amount to.
  private struct Total {
    var plans = 0
    var faults: Set<RelationshipError.Code> = []
    private(set) var kinds: Set<ChangeKind> = []
    private var (follows, unfollows) = (0, 0)
    private var following: Int?

    var warning: MassChangeWarning? {
      MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
    }

    mutating func add(_ plan: ChangePlan) {
      plans += 1
      follows += plan.follows
      unfollows += plan.unfollows
      following = plan.following
      kinds.formUnion(plan.changes.flatMap(\.steps).compactMap(\.kind))
    }
  }
}
