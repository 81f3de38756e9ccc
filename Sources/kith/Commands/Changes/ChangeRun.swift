// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithStore
import KithWriting

/// Carries out requests: has the engine plan them, asks for confirmation of destructive changes, runs the
/// job, and prints the result of each in the given order.
struct ChangeRun {
  let wiring: Wiring
  let options: ChangeOptions
  let verb: ChangeVerb
  /// The time after which the change is undone; nil for a permanent change.
  var lifetime: Duration?
  /// Whether rows are printed; otherwise only errors are reported.
  var printsRows = true
  /// Whether planned writes are printed before the question.
  var showsPlan = false
  /// Messages about the plan before the question or the change; nil for none.
  var preview: (@Sendable (ChangePlan) -> [Message])?
  /// What to say in the question about a plan that needs an answer although its verb does not; nil if it needs none.
  var concern: @Sendable (ChangePlan) -> String? = { _ in nil }

  private var common: CommonOptions { wiring.common }

  /// Carries out all necessary changes, and ends the command with the combined status of the rows.
  ///
  /// - Parameter narrow: removes from a plan what the options exclude.
  func finish(
    _ requests: [RequestedChange], as account: AuthorizedAccount,
    narrowing narrow: (PlannedChange) -> PlannedChange = { $0 }
  ) async throws {
    let status = try await perform(requests, as: account, narrowing: narrow)
    if status != .success { throw CommandFault(status) }
  }

  /// Carries out all necessary changes.
  ///
  /// - Parameter narrow: removes from a plan what the options exclude.
  /// - Returns: the combined status of the rows.
  func perform(
    _ requests: [RequestedChange], as account: AuthorizedAccount,
    narrowing narrow: (PlannedChange) -> PlannedChange = { $0 }
  ) async throws -> ExitStatus {
    let cost = CostReport(wiring.meter)
    let (account, clock) = account.hearing()
    let engine = wiring.workspace.engine(of: account, journal: try journal())
    if options.dryRun {
      defer { say(clock) }
      return try await show(requests, engine, cost, narrowing: narrow)
    }
    let named = requests.compactMap(\.named)
    let line = wiring.progressLine("read")
    defer { line.end() }
    let submission = try await interruptible {
      try await engine.submit(
        named, as: verb.name, lifetime: lifetime, limit: options.points.limit,
        confirmation: ChangeEngine.Confirmation(isNeeded: isAskedAbout) {
          line.end()
          say(clock)
          sayPreview(of: $0)
          if showsPlan { try print(ChangeRows(requests, $0, verb: verb, ifTaken: .planned)) }
          try await confirm($0)
        }, narrowing: narrow, progress: line.reach)
    }
    line.end()
    tell(submission.plan)
    if !isAskedAbout(submission.plan) {
      if submission.job != nil { say(clock) }
      sayPreview(of: submission.plan)
      if let warning = submission.plan.warning { StandardError.say(Message(warning)) }
    }
    let rows = ChangeRows(requests, submission.plan, verb: verb, job: submission.job?.id)
    guard let job = submission.job else { return try print(rows, cost) }
    let steps = submission.plan.stepCount
    if common.verbose { StandardError.say(.jobCreated(job.id, steps: steps)) }
    return try await carryOut(
      job, plannedBy: submission.facts, rows, engine, cost, isSmall: steps == 1)
  }

  // MARK: Planning

  /// Requests that are planned at once in a dry run, if they do not depend on each other.
  private static let portion = 10_000

  /// Shows what would be done.
  private func show(
    _ requests: [RequestedChange], _ engine: ChangeEngine, _ cost: CostReport,
    narrowing narrow: (PlannedChange) -> PlannedChange
  ) async throws -> ExitStatus {
    let isOne = preview != nil || requests.contains { $0.named?.intent.list != nil }
    var printer = try common.printer(of: ChangeRow.self, environment: wiring.environment)
    var total = PlanTotal(ChangeTally(verb: verb))
    var earlier: Set<ChangeIntent> = []
    for portion in isOne ? [requests] : requests.parts(of: Self.portion) {
      let line = wiring.progressLine("read")
      defer { line.end() }
      let plan = try await interruptible {
        try await engine.plan(
          portion.compactMap(\.named), after: &earlier, lifetime: lifetime, narrowing: narrow,
          progress: line.reach)
      }
      line.end()
      tell(plan, after: total)
      sayPreview(of: plan)
      var rows = ChangeRows(portion, plan, verb: verb, ifTaken: .planned, after: total.tally)
      while let row = rows.next(whatever: true) { if printsRows { try printer.print(row) } }
      total.add(plan, rows.tally)
    }
    if printsRows { try printer.finish() }
    if let warning = total.warning { StandardError.say(Message(warning)) }
    let status = say(total.tally, rows: requests.count, cost)
    if total.affected > 1, total.points > 0, !common.quiet { try await explain(total.points, engine) }
    return status
  }

  /// A dry run writes nothing, so it needs no place for a journal.
  private func journal() throws -> any JobStore {
    guard options.dryRun else { return try wiring.jobStoreForChange() }
    return try wiring.workspace.jobStoreToRead()
  }

  /// Runs the planning; throws ``CommandFault`` if it was interrupted.
  private func interruptible<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw Task.isCancelled
        ? CommandFault(.interrupted, .interruptedBeforeAnyChange) : UnwrittenChange.wrapping(error)
    }
  }

  /// Reports incomplete data of a plan.
  ///
  /// - Parameter total: what was reported for earlier portions.
  private func tell(_ plan: ChangePlan, after total: PlanTotal? = nil) {
    if total?.plans ?? 0 == 0 {
      UnreadableRecords(.ownRecord) { [common] in common.say($0) }.add(plan.unreadable)
    }
    var seen = total?.faults ?? []
    for fault in plan.faults where seen.insert(fault.code).inserted {
      StandardError.say(.relationshipsNotLearned(fault))
    }
  }

  private func sayPreview(of plan: ChangePlan) {
    if common.quiet { return }
    for message in preview?(plan) ?? [] { StandardError.say(message) }
  }

  /// Clocks that differ by more, in seconds, give records dates that are plainly wrong.
  private static let clockTolerance = 300

  /// Warns if new records are about to get wrong dates.
  private func say(_ clock: ServerClock?) {
    guard let lead = clock?.serverLead, lead.components.seconds.magnitude > Self.clockTolerance else {
      return
    }
    StandardError.say(.clockDiffers(serverLead: lead))
  }

  /// Reports the points that a plan needs, and how long that takes.
  private func explain(_ points: Int, _ engine: ChangeEngine) async throws {
    let wait = try await JobManager(journal: engine.journal, time: wiring.time).time(
      toSpend: points, by: engine.account, within: options.points.estimate)
    StandardError.say(.pointsNeeded(points, wait: wait))
  }

  private func isAskedAbout(_ plan: ChangePlan) -> Bool {
    guard !options.yes else { return false }
    if verb.isDestructive, plan.affected >= verb.leastAsked { return true }
    if concern(plan) != nil { return true }
    return plan.warning.map { $0.follows > MassChangeWarning.mostFollows } ?? false
  }

  private func confirm(_ plan: ChangePlan) async throws {
    if let warning = plan.warning { StandardError.say(Message(warning)) }
    try await Confirmation.require(
      verb.question(plan.affected, concern(plan) ?? plan.confirmationDetail, following: plan.following),
      or: "look with --dry-run first")
  }

  // MARK: Running

  private func carryOut(
    _ job: Job, plannedBy facts: FactsStamp, _ rows: ChangeRows, _ engine: ChangeEngine,
    _ cost: CostReport, isSmall: Bool
  ) async throws -> ExitStatus {
    let run = JobRun(wiring: wiring, points: options.points, engine: engine, isWatched: isSmall)
    let line = wiring.progressLine("done")
    defer { line.end() }
    var printer = try common.printer(of: ChangeRow.self, environment: wiring.environment, progress: line)
    var rows = rows
    var fault: (any Error)?
    let (outcomes, continuation) = AsyncStream.makeStream(of: JobProgress.self)
    async let ending = run.run(job.id, plannedBy: facts, on: line) {
      continuation.yield($0)
    } end: {
      continuation.finish()
    }
    for await progress in outcomes {
      rows.take(progress.outcomes, as: progress.steps)
      // A reader that closes the output does not stop the job.
      guard printsRows, fault == nil else { continue }
      do {
        while let row = rows.next() { try printer.print(row) }
        try printer.flush()
      } catch {
        fault = error
      }
    }
    let end: JobRun.Ending
    do { end = try await ending } catch {
      line.end()
      if printsRows, fault == nil { try? printer.finish() }
      throw error
    }
    line.end()
    rows.take(try await engine.journal.leftItems(of: job.id))
    if printsRows, fault == nil {
      let isOnTerminal =
        OutputDescriptor.standardOutput.isTerminal && common.format(for: .standardOutput) == .table
      while let row = rows.next(whatever: true) {
        // Thousands of pending rows would hide the others.
        if isOnTerminal, row.state == .pending, rows.count > Self.mostPendingRows { continue }
        try printer.print(row)
      }
      try printer.finish()
    }
    let status = sum(rows, cost)
    if let until = job.until, end.status == .success, !common.quiet, !wiring.isPast(until) {
      StandardError.say(.undoneLater(until))
    }
    if let message = end.message {
      StandardError.say(message)
    } else if !common.quiet, rows.hasDone {
      StandardError.say(.undoHint(job.id))
    }
    if let fault { throw fault }
    return end.status.orMoreSevere(status)
  }

  /// On a terminal, pending rows are hidden if there are more rows than this.
  private static let mostPendingRows = 20

  // MARK: Printing

  private func print(_ rows: ChangeRows, _ cost: CostReport) throws -> ExitStatus {
    try print(rows)
    return sum(rows, cost)
  }

  private func print(_ rows: ChangeRows) throws {
    guard printsRows else { return }
    var printer = try common.printer(of: ChangeRow.self, environment: wiring.environment)
    var rows = rows
    while let row = rows.next(whatever: true) { try printer.print(row) }
    try printer.finish()
  }

  private func sum(_ rows: ChangeRows, _ cost: CostReport) -> ExitStatus {
    var rows = rows
    while rows.next(whatever: true) != nil {}
    return say(rows.tally, rows: rows.count, cost)
  }

  private func say(_ tally: ChangeTally, rows: Int, _ cost: CostReport) -> ExitStatus {
    // The only row of a table has said it already.
    let isSaid = rows == 1 && printsRows && common.format(for: .standardOutput) == .table
    if !common.quiet || tally.status != .success, !isSaid,
      let message = tally.message(cost.cost, elapsed: cost.elapsed)
    {
      StandardError.say(message)
    }
    if common.verbose { cost.say() }
    return tally.status
  }
}

/// What the plans of several portions amount to.
private struct PlanTotal {
  private(set) var tally: ChangeTally
  private(set) var plans = 0
  private(set) var affected = 0
  private(set) var points = 0
  private(set) var faults: Set<RelationshipError.Code> = []
  private var (follows, unfollows) = (0, 0)
  private var following: Int?

  init(_ tally: ChangeTally) { self.tally = tally }

  var warning: MassChangeWarning? {
    MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
  }

  mutating func add(_ plan: ChangePlan, _ tally: ChangeTally) {
    self.tally = tally
    plans += 1
    affected += plan.affected
    points += plan.points
    faults.formUnion(plan.faults.map(\.code))
    follows += plan.follows
    unfollows += plan.unfollows
    following = plan.following
  }
}

extension ChangePlan {
  /// Additional facts for the question.
  fileprivate var confirmationDetail: String {
    if followedAndBlocked > 0, affected > 1 { return "you follow \(followedAndBlocked) of them" }
    let affected = changes.filter { !$0.steps.isEmpty }
    return affected.count == 1 ? affected[0].notes.map(\.sentence).joined(separator: "; ") : ""
  }
}

extension Wiring {
  fileprivate func isPast(_ moment: Datetime) -> Bool {
    moment.instant <= workspace.time.instant
  }
}

extension JobStore {
  /// The unfinished items of a job, by position.
  fileprivate func leftItems(of job: JobID) async throws -> [Int: JobItemState] {
    let items = try await items(of: job, in: [.pending, .inDoubt, .cancelled], after: nil, most: .max)
    return Dictionary(items.map { ($0.position, $0.state) }) { first, _ in first }
  }
}
