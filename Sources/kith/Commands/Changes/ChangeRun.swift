// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipWriting
import Relationships

/// Carries wishes out: finds out what they take, has it confirmed, writes it down as a job, runs that, and prints
/// what became of each wish, in the order in which they were named.
struct ChangeRun {
  let wiring: Wiring
  let options: ChangeOptions
  let verb: ChangeVerb
  /// After how long it is taken back; nil where it is to last.
  var lifetime: Duration?
  /// Whether rows are printed; else the status and what is said of faults tell all.
  var printsRows = true

  private var common: CommonOptions { wiring.common }

  /// Carries out whatever of the wishes does not hold yet, and ends the command with the status that all rows
  /// amount to.
  ///
  /// - Parameter narrow: takes out of a plan what options rule out.
  func finish(
    _ wishes: [RequestedChange], as account: AuthorizedAccount,
    narrowing narrow: (PlannedChange) -> PlannedChange = { $0 }
  ) async throws {
    let status = try await perform(wishes, as: account, narrowing: narrow)
    if status != .success { throw CommandFault(status) }
  }

  /// Carries out whatever of the wishes does not hold yet.
  ///
  /// - Parameter narrow: takes out of a plan what options rule out.
  /// - Returns: the status that all rows amount to.
  func perform(
    _ wishes: [RequestedChange], as account: AuthorizedAccount,
    narrowing narrow: (PlannedChange) -> PlannedChange = { $0 }
  ) async throws -> ExitStatus {
    let cost = CostReport(wiring.meter)
    let store = try wiring.jobStore()
    let (plan, job) = try await prepare(wishes, as: account, store, narrow)
    if let job { return try await carryOut(plan, job, as: account, store, cost) }
    let status = try await print(plan, job: nil, cost) {
      plan.row(at: $0, as: options.dryRun ? .planned : .unchanged)
    }
    if options.dryRun, plan.affected > 1, plan.points > 0, !common.quiet {
      try await explain(plan.points, of: account, store)
    }
    return status
  }

  // MARK: Planning

  /// Finds out what the wishes take, has it confirmed, and writes it down.
  ///
  /// - Returns: the plan; no job where nothing is to be sent.
  /// - Throws: what keeps it from being planned; ``CommandFault`` when it was interrupted meanwhile.
  private func prepare(
    _ wishes: [RequestedChange], as account: AuthorizedAccount, _ store: any JobStore,
    _ narrow: (PlannedChange) -> PlannedChange
  ) async throws -> (ChangePlan, Job?) {
    do {
      let desk = JobManager(store: store, time: wiring.time)
      // Held until what is planned is written down: another run sees it there, and does not plan it a second time.
      var planning = try await desk.claimPlanning()
      defer { planning.release() }
      let start = Datetime(microsecondsSinceEpoch: wiring.time.microsecondsSinceEpoch)
      let until = end(ofWhatIsDoneAt: start)
      // The journal first: what is done after it was read, the repository shows.
      let traces = try await traces(of: wishes, by: account, store)
      var (plan, following) = try await plan(wishes, as: account, until: until, traces, store, narrow)
      guard plan.takesSteps, !options.dryRun else { return (plan, nil) }
      if let warning = plan.warning(following: following) { StandardError.say(Message(warning)) }
      if isAskedAbout(plan) {
        // Who is asked may take an hour, for which nobody else is to wait.
        planning.release()
        try await confirm(plan)
        planning = try await desk.claimPlanning()
        let news = try await self.traces(of: wishes, by: account, store)
        if news != traces {
          (plan, _) = try await self.plan(wishes, as: account, until: until, news, store, narrow)
        }
        guard plan.takesSteps else { return (plan, nil) }
      }
      let job = try await desk.add(
        JobDraft(account: account.did, title: verb.name, plannedAt: start, until: until), plan.items)
      if common.verbose { StandardError.say(.jobCreated(job.id, steps: plan.items.count)) }
      return (plan, job)
    } catch {
      throw Task.isCancelled ? CommandFault(.interrupted, .interruptedBeforeAnyChange) : error
    }
  }

  /// What jobs have done to those whom the wishes are about, or are about to do.
  private func traces(
    of wishes: [RequestedChange], by account: AuthorizedAccount, _ store: any JobStore
  ) async throws -> [DID: [JobHistoryEntry]] {
    try await store.traces(of: wishes.compactMap { try? $0.change.get().account }, by: account.did)
  }

  /// - Returns: the plan, and whom the account follows now, where that was learned.
  private func plan(
    _ wishes: [RequestedChange], as account: AuthorizedAccount, until: Datetime?,
    _ traces: [DID: [JobHistoryEntry]],
    _ store: any JobStore, _ narrow: (PlannedChange) -> PlannedChange
  ) async throws -> (ChangePlan, following: Int?) {
    let changes = wishes.compactMap { try? $0.change.get() }
    let survey = FactLoader(account: account.did, pds: account.pds, appview: account.appview)
    let known = try await survey.knowledge(for: changes)
    var unreadable = UnreadableTally(.ownRecord)
    unreadable.take(known.unreadable)
    let planner = ChangePlanner(account: account.did, keys: TIDClock(time: wiring.time), time: wiring.time)
    let repository = wiring.repository(of: account, telling: store)
    var plans: [PlannedChange] = []
    for planned in planner.plan(changes, knowing: { known[$0] }) {
      let traces = planned.change.account.flatMap { traces[$0] } ?? []
      let isThere = try await repository.hasOne(of: planned.recordsMade(by: traces))
      plans.append(narrow(planned.considering(traces, recordIsThere: isThere, until: until)))
    }
    let plan = ChangePlan(wishes, plans, account: account.did, verb: verb)
    return (plan, known.follows.map { $0.count + $0.passedOver })
  }

  /// When what is done then is to be taken back; nil where it is to last.
  private func end(ofWhatIsDoneAt start: Datetime) -> Datetime? {
    lifetime.map {
      Datetime(microsecondsSinceEpoch: start.microsecondsSinceEpoch + $0.inMilliseconds * 1_000)
    }
  }

  /// Says what a plan would cost, and how long it would take.
  private func explain(_ points: Int, of account: AuthorizedAccount, _ store: any JobStore) async throws {
    let wait = try await JobManager(store: store, time: wiring.time).time(
      toSpend: points, by: account.did, within: options.points.allowance)
    StandardError.say(.pointsNeeded(points, wait: wait))
  }

  private func isAskedAbout(_ plan: ChangePlan) -> Bool {
    verb.isDestructive && plan.affected >= verb.leastAsked && !options.yes
  }

  private func confirm(_ plan: ChangePlan) async throws {
    try await Confirmation.require(
      verb.question(plan.affected, plan.notesOfOne), or: "look with --dry-run first")
  }

  // MARK: Doing

  private func carryOut(
    _ plan: ChangePlan, _ job: Job, as account: AuthorizedAccount, _ store: any JobStore, _ cost: CostReport
  ) async throws -> ExitStatus {
    let run = JobRun(wiring: wiring, points: options.points, account: account, store: store)
    let end = try await run.run(job.id)
    var items = JobItems(of: job.id, in: store)
    let rows = try await print(plan, job: job.id, cost) { position in
      try await plan.row(at: position, after: &items)
    }
    if let until = job.until, end == .success { StandardError.say(.undoneLater(until)) }
    return end.orGraver(rows)
  }

  // MARK: Printing

  private func print(
    _ plan: ChangePlan, job: JobID?, _ cost: CostReport, _ row: (Int) async throws -> ChangeRow
  ) async throws -> ExitStatus {
    var printer = common.printer(of: ChangeRow.self, environment: wiring.environment)
    var tally = ChangeTally(verb: verb)
    for position in plan.wishes.indices {
      var row = try await row(position)
      if !row.steps.isEmpty { row.job = job }
      tally.add(row, plan.fault(at: position))
      if printsRows { try printer.print(row) }
    }
    if printsRows { try printer.finish() }
    if !common.quiet || tally.status != .success,
      let message = tally.message(cost.cost, elapsed: cost.elapsed)
    {
      StandardError.say(message)
    }
    if common.verbose { cost.say() }
    return tally.status
  }
}

extension PDSRepository {
  /// Whether one of these records is there.
  fileprivate func hasOne(of writes: [RecordWrite]) async throws -> Bool {
    for write in writes where try await record(write.rkey, in: write.collection) != nil { return true }
    return false
  }
}
