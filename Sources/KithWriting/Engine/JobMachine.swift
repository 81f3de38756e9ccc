// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// Decides what a run of a job does next: it returns an action, receives the resulting event, and decides
/// again. It performs no I/O itself.
///
/// A change happens exactly once because of this order: a commit is journaled as begun, then sent, then its
/// outcome is journaled. A commit that was begun and has no outcome is looked up in the repository first; if
/// it did not take effect, it is sent again with the same keys.
struct JobMachine: Sendable {
  /// A moment on both clocks. Waits and ages are measured by the monotonic one, which cannot be set.
  struct Moment: Sendable, Hashable {
    /// The time of the wall clock.
    var wall: Instant
    /// Monotonic time.
    var steady: Duration
  }

  /// What to do next.
  enum Action: Sendable, Hashable {
    /// Read the pending items after a position.
    case load(after: Int?)
    /// List what the repository has of the records that the remaining items are about.
    case takeSnapshot
    /// Compare the records that the items are about with what they are expected to be.
    ///
    /// These may be more items than fit in the next commit, because they can be looked up together.
    case check([JobItem], RepositorySnapshot)
    /// Begin the commit in the journal.
    case begin(JobCommit)
    /// Send the commit, to be made only if no other app has made one since; or make its call.
    case send(JobCommit, after: RepositoryCommit?)
    /// Ask the repository whether the commit took effect.
    case resolveInDoubt(JobCommit)
    /// Delete records that the server has put under other keys than those that they need.
    case takeBack([RecordWrite])
    /// Journal the outcome of items.
    case record(JobOutcome)
    /// Wait this long.
    case wait(Duration, JobWait)
    /// Journal the end of the run, and end it.
    case end(JobEnd)
  }

  /// The result of an action.
  enum Event: Sendable {
    /// The pending items that were read; empty at the end of the job.
    case loaded([JobItem])
    /// What the repository holds, at or after a commit; nil if its server does not name its commits.
    case snapshotTaken(RepositorySnapshot, RepositoryCommit?)
    /// How much of each checked item may be done, by position.
    case checked([Int: StepPrecondition])
    /// The journal's answer to the begin of a commit.
    case began(CommitReservation)
    /// The server accepted it, as a commit that follows on what is known; nil if others may have come in between.
    /// It gave keys of its own to some of the created records.
    case sent(RepositoryCommit?, keys: [RecordName: RecordKey] = [:])
    /// Sending or asking failed, on the server or on the way.
    case failed(RepositoryError)
    /// Whether the commit took effect. The server gave keys of its own to some of the created records.
    case settled(Bool, keys: [RecordName: RecordKey] = [:])
    /// The records were deleted.
    case takenBack
    /// The outcome was journaled.
    case recorded
    /// The wait is over.
    case waited
    /// The job was paused or ended by another process during the wait.
    case halted(JobState)
    /// The task was cancelled before the action did anything.
    case interrupted
  }

  /// Items read at once; this bounds the memory that a job needs.
  static let itemsPerLoad = 2 * RecordWrite.mostPerCommit
  /// If a run starts with this many refused steps in a row, it ends: the server refuses the account.
  static let mostStrikes = 25
  /// How long facts stay fresh that are not bound to a commit, because the server does not name its commits.
  static let knowledgeLasts = Duration.seconds(300)
  /// How often in a row the records are compared again at once, because other apps have made commits meanwhile.
  private static let mostOvertakings = 5
  /// How often, and how long each time, to wait for another job that has the same change in doubt.
  private static let (mostContentions, contentionPause) = (8, Duration.milliseconds(250))

  /// What the facts about records were read at.
  private struct Basis: Sendable, Hashable {
    /// The commit; a commit of this job is only made if no other app has made one since.
    var commit: RepositoryCommit?
    /// When, by the monotonic clock.
    var readAt: Duration

    func isOld(at now: Duration) -> Bool { commit == nil && now - readAt >= JobMachine.knowledgeLasts }
  }

  let job: Job
  /// Whether to stop, with the time to resume at, instead of waiting for points.
  private let stopsWhenShort: Bool
  /// How long consecutive failures are tolerated, counted from the first one.
  private let patience: Duration
  /// The longest wait that a server may ask for; nil for any.
  private let longestWait: Duration?
  /// The items by state, as journaled.
  private(set) var counts: JobCounts
  /// Batches that were begun or split; the next is at the end.
  private var queue: [JobBatch]
  private var fresh: ArraySlice<JobItem> = []
  private var lastLoaded: Int?
  private var isExhausted = false
  private var nextNumber: Int
  /// The most writes per commit: the configured number, or what this server has turned out to accept.
  private var mostWrites: Int
  /// Whether everything is compared with the repository before it is sent. Not needed right after planning.
  private var comparesRecords: Bool
  private var snapshot: RepositorySnapshot?
  /// What the facts about records were read at; nil if they have to be read.
  private var basis: Basis?
  /// The results of the last comparison, and when it was made; it may cover items after the next batch.
  private var checks: [Int: StepPrecondition] = [:]
  private var checkedAt = Duration.zero
  /// Positions of items that will not be done in this run.
  private var lost: Set<Int> = []
  /// Whether the server gives new records keys of its own.
  private(set) var choosesKeys: Bool
  /// New records that were not made, or were deleted again, because of their keys.
  private var unmade: Set<RecordName> = []
  /// What is being deleted again of the last batch: the keys that the server gave, and the items that need others.
  private var misplaced: (keys: [RecordName: RecordKey], positions: Set<Int>)?
  private var isSending = false
  private var troubles = 0
  private var troubledSince: Duration?
  private var limits = 0
  private var successes = 0
  private var strikes = 0
  /// That the session may not do some of the items.
  private var notPermitted: JobStop?
  private var overtakings = 0
  private var contentions = 0
  private var afterRecord: JobEnd?
  private var waitAfterRecord: Action?

  /// - Parameters:
  ///   - doubts: the commits of an earlier run whose outcome is unknown.
  ///   - counts: the items by state, including those in doubt.
  ///   - writesPerCommit: the most writes wanted in one commit; at least 1.
  ///   - patience: how long consecutive failures are tolerated.
  ///   - longestWait: the longest wait that a server may ask for; nil for any.
  ///   - choosesKeys: whether the server is known to give new records keys of its own.
  ///   - facts: when the facts were read that the items are based on; nil if the job was not planned just now.
  ///     An undo is compared in any case.
  init(
    job: Job, doubts: [JobCommit], counts: JobCounts, stopsWhenShort: Bool = false,
    writesPerCommit: Int = RecordWrite.mostPerCommit, patience: Duration = JobOptions.usualPatience,
    longestWait: Duration? = nil, choosesKeys: Bool = false, facts: FactsStamp?
  ) {
    self.job = job
    self.choosesKeys = choosesKeys
    comparesRecords = job.undoes != nil || facts == nil
    basis = facts.map { Basis(commit: $0.commit, readAt: $0.readAt) }
    self.stopsWhenShort = stopsWhenShort
    self.patience = patience
    self.longestWait = longestWait
    mostWrites = writesPerCommit
    self.counts = counts
    queue = doubts.sorted { $0.number > $1.number }.map {
      JobBatch(inDoubt: $0, isChecked: job.undoes != nil)
    }
    nextNumber = (doubts.map(\.number).max() ?? 0) + 1
  }

  /// Whether pending items are not to be sent any longer.
  private var isGivingUp: Bool { job.state == .cancelled }

  /// Returns the first action.
  mutating func start(at now: Moment) -> Action { proceed(at: now) }

  /// Returns the next action.
  mutating func received(_ event: Event, at now: Moment) -> Action {
    let wasSending = isSending
    isSending = false
    if basis?.commit == nil, now.steady - checkedAt >= Self.knowledgeLasts { checks = [:] }
    switch event {
    case .loaded(let items): return loaded(items, at: now)
    case .snapshotTaken(let snapshot, let commit):
      self.snapshot = snapshot
      basis = Basis(commit: commit, readAt: now.steady)
      return proceed(at: now)
    case .checked(let checks):
      (self.checks, checkedAt) = (checks, now.steady)
      return checked(checks, at: now)
    case .began(let reservation): return began(reservation, at: now)
    case .sent(let commit, let keys):
      overtakings = 0
      // A call of the AppView changes no records.
      if queue.last?.isCall == false {
        basis = commit.map { Basis(commit: $0, readAt: now.steady) }
        if commit == nil { forgetChecks() }
      }
      return made(learning: keys)
    case .takenBack: return concludeTakenBack()
    case .failed(let error): return failed(error, whileSending: wasSending, at: now)
    case .settled(let hasHappened, let keys): return settled(hasHappened, learning: keys, at: now)
    case .recorded:
      if let end = afterRecord { return .end(end) }
      if let wait = waitAfterRecord {
        waitAfterRecord = nil
        return wait
      }
      return proceed(at: now)
    case .waited:
      // The records may have changed during the wait; a commit that is bound to another one shows it.
      if basis?.commit == nil { forgetChecks() }
      return proceed(at: now)
    case .halted(let state): return .end(JobEnd(halted: state))
    case .interrupted: return stop(JobStop(.interrupted, "interrupted"))
    }
  }

  // MARK: - Next action

  private mutating func proceed(at now: Moment) -> Action {
    guard let last = queue.indices.last else { return refill(at: now) }
    if queue[last].question != nil, let commit = commit(of: last) { return .resolveInDoubt(commit) }
    if isGivingUp { return giveUp() }
    if let leaving = leaveStranded(at: now) ?? leaveMisplaced(at: now) { return leaving }
    if let comparison = compare(at: now) { return comparison }
    if queue[last].number == nil {
      let pieces = queue[last].cut(writes: mostWrites)
      if pieces.count > 1 { return replaceLast(with: pieces, at: now) }
      queue[last].number = takeNumber()
    }
    guard let commit = commit(of: last) else { return refill(at: now) }
    return .begin(commit)
  }

  /// Cancels a commit that did not take effect instead of sending it again. Whether a call took effect is
  /// unknown: repeating it settles that.
  private mutating func giveUp() -> Action {
    guard let batch = queue.last, batch.isCall, let commit = commit(of: queue.endIndex - 1) else {
      return conclude(.cancelled, isPaid: false)
    }
    isSending = true
    return .send(commit, after: nil)
  }

  private mutating func forgetChecks() {
    checks = [:]
    for index in queue.indices where !queue[index].isBegun { queue[index].isChecked = false }
  }

  /// Returns a number that no other commit of this run has, nor any that is in doubt.
  private mutating func takeNumber() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  private func commit(of index: Int) -> JobCommit? {
    queue[index].number.map { JobCommit(number: $0, items: queue[index].items) }
  }

  private mutating func refill(at now: Moment) -> Action {
    if isGivingUp { return .end(.cancelled) }
    guard !fresh.isEmpty else {
      return isExhausted ? .end(notPermitted.map(JobEnd.stopped) ?? .done) : .load(after: lastLoaded)
    }
    let count = JobBatch.fitting(fresh, writes: mostWrites)
    queue.append(JobBatch(Array(fresh.prefix(count))))
    fresh = fresh.dropFirst(count)
    return proceed(at: now)
  }

  private mutating func loaded(_ items: [JobItem], at now: Moment) -> Action {
    fresh = items[...]
    lastLoaded = items.last?.position ?? lastLoaded
    isExhausted = items.isEmpty
    return proceed(at: now)
  }

  // MARK: - Before sending

  private mutating func began(_ reservation: CommitReservation, at now: Moment) -> Action {
    switch reservation {
    case .begun:
      guard let last = queue.indices.last, let commit = commit(of: last) else { return proceed(at: now) }
      queue[last].isBegun = true
      isSending = true
      contentions = 0
      return .send(commit, after: basis?.commit)
    case .halted(let state): return .end(JobEnd(halted: state))
    case .withdrawn(let positions): return drop(positions, at: now)
    case .expired(let positions):
      let state = JobItemState.skipped(SkipReason.expired.description)
      return leave(Dictionary(positions.map { ($0, state) }) { first, _ in first }, at: now)
    case .short(let left, let changes, let until):
      return short(left: left, changes: changes, until: until, at: now)
    case .contended(let jobs): return contended(by: jobs, at: now)
    case .outdated:
      (snapshot, basis, checks) = (nil, nil, [:])
      comparesRecords = true
      if let last = queue.indices.last { queue[last].isChecked = false }
      return proceed(at: now)
    }
  }

  /// Leaves out items of the next batch that were cancelled meanwhile, as the journal has them already.
  private mutating func drop(_ positions: Set<Int>, at now: Moment) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    for item in queue[last].items where positions.contains(item.position) {
      counts.move(1, from: queue[last].counted, to: .cancelled, points: item.step.points)
    }
    lost.formUnion(positions)
    queue[last].items.removeAll { positions.contains($0.position) }
    if queue[last].items.isEmpty { queue.removeLast() }
    return proceed(at: now)
  }

  /// Waits a moment for other jobs that have the same changes in doubt: as a rule they are being sent. What stays
  /// in doubt was left behind, and fails here.
  private mutating func contended(by jobs: [Int: JobID], at now: Moment) -> Action {
    contentions += 1
    guard contentions <= Self.mostContentions, let job = jobs.values.min() else {
      contentions = 0
      return leave(jobs.mapValues { .failed(SkipReason.inDoubtElsewhere($0).description) }, at: now)
    }
    return .wait(Self.contentionPause, .trouble(SkipReason.inDoubtElsewhere(job).description))
  }

  /// Sends a part if at least a quarter of the commit can be paid for, or if only the number of changes is limited; otherwise
  /// waits until all of it can.
  private mutating func short(left: Int, changes: Int, until: Instant?, at now: Moment) -> Action {
    guard let batch = queue.last else { return proceed(at: now) }
    if 4 * left >= batch.points || until == nil {
      if let (first, remaining) = batch.split(points: left, changes: changes) {
        return send(first, before: remaining, of: batch, at: now)
      }
      if until == nil, batch.items.count > 1 {
        return send(batch.halves[0], before: batch.halves[1], of: batch, at: now)
      }
    }
    guard let until else {
      return stop(
        JobStop(
          .budget,
          "one step costs \(batch.points) points, over the budget; raise the limit or lower the reserve"
        ))
    }
    if stopsWhenShort {
      let reason =
        changes < batch.items.count
        ? "as many changes are made as are allowed in this time" : "the write budget is used up"
      return stop(JobStop(.budget, reason, until: until))
    }
    return .wait(max(until - now.wall, .zero), .budget)
  }

  /// Continues with a part of the last batch. If that was in doubt and found not to have taken effect, only
  /// the part that is sent becomes pending: it returns the points of the whole batch, and the rest stays in
  /// doubt.
  private mutating func send(
    _ first: JobBatch, before remaining: JobBatch, of batch: JobBatch, at now: Moment
  ) -> Action {
    guard batch.isBegun else { return replaceLast(with: [first, remaining], at: now) }
    var remaining = remaining
    remaining.number = batch.number
    remaining.isBegun = true
    queue.removeLast()
    queue.append(remaining)
    queue.append(countedAsPending(first))
    var outcome = outcome(of: first, .pending, isPaid: false)
    outcome.commit = batch.number
    return .record(outcome)
  }

  private mutating func replaceLast(with batches: [JobBatch], at now: Moment) -> Action {
    queue.removeLast()
    queue += batches.reversed()
    return proceed(at: now)
  }
}

/// Comparison with records that others may have changed since the job was planned.
extension JobMachine {
  /// Compares the next batch with the repository if that is still needed.
  ///
  /// Facts that were read at a commit hold for as long as only this job makes commits; the server makes the next one
  /// only then. Without that, an update is compared right before it is sent, because it would overwrite what others
  /// changed meanwhile.
  private mutating func compare(at now: Moment) -> Action? {
    guard let batch = queue.last, !batch.isChecked, !batch.isCall || job.undoes != nil else { return nil }
    let isOld = basis?.isOld(at: now.steady) ?? true
    guard comparesRecords || isOld || batch.harmsIfOutdated && basis?.commit == nil else { return nil }
    guard let snapshot, !isOld else {
      self.snapshot = nil
      comparesRecords = comparesRecords || isOld
      return .takeSnapshot
    }
    if job.undoes != nil {
      let isKnown = batch.items.allSatisfy { self.checks[$0.position] != nil }
      return isKnown ? checked(self.checks, at: now) : .check(batch.items + behind(batch), snapshot)
    }
    let checks = batch.items.map { item in
      (item.position, StepPrecondition(resuming: item.step, beside: snapshot, wasInDoubt: batch.wasInDoubt))
    }
    return checked(Dictionary(checks) { first, _ in first }, at: now)
  }

  /// The items that are compared along with a batch, so that one look-up covers a whole load; none of them is
  /// about a record that an earlier item changes.
  private func behind(_ batch: JobBatch) -> ArraySlice<JobItem> {
    guard queue.count == 1 else { return [] }
    let together = JobBatch.fitting(batch.items + fresh, writes: .max)
    return fresh.prefix(max(0, together - batch.items.count))
  }

  /// Continues with what may be done of the next batch, and records what is skipped.
  private mutating func checked(_ checks: [Int: StepPrecondition], at now: Moment) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    var left: [Int: JobItemState] = [:]
    queue[last].isChecked = true
    for index in queue[last].items.indices {
      let item = queue[last].items[index]
      switch checks[item.position] {
      case .leave(let reason): left[item.position] = .skipped(reason.description)
      case .reject(let reason): left[item.position] = .failed(reason.description)
      case .proceed(let step):
        counts.add(0, .pending, points: step.points - item.step.points)
        queue[last].items[index].step = step
      case nil: break
      }
    }
    return leave(left, at: now)
  }

  /// Gives items of the next batch a state without sending them; the rest of the batch continues.
  ///
  /// - Parameter keepsDoubt: whether an earlier commit of theirs may still arrive.
  private mutating func leave(
    _ states: [Int: JobItemState], keepingDoubt keepsDoubt: Bool = false, at now: Moment
  ) -> Action {
    guard let last = queue.indices.last, !states.isEmpty else { return proceed(at: now) }
    for item in queue[last].items {
      guard let kind = states[item.position]?.kind else { continue }
      counts.move(1, from: queue[last].counted, to: kind, points: item.step.points)
      if kind == .failed { lost.insert(item.position) }
    }
    queue[last].items.removeAll { states[$0.position] != nil }
    // An empty commit returns its points.
    let commit = queue[last].items.isEmpty ? queue.removeLast().number : nil
    return .record(JobOutcome(commit: commit, states: states, keepsDoubt: keepsDoubt))
  }

  /// Fails the items whose dependency was not done; nil if the next batch has none.
  private mutating func leaveStranded(at now: Moment) -> Action? {
    guard let batch = queue.last, !batch.isBegun else { return nil }
    let stranded = batch.items.filter { item in
      item.dependency.map { $0.isLost || lost.contains($0.position) } ?? false
    }
    guard !stranded.isEmpty else { return nil }
    let state = JobItemState.failed(SkipReason.dependencyFailed.description)
    return leave(Dictionary(stranded.map { ($0.position, state) }) { first, _ in first }, at: now)
  }
}

/// Servers that give new records keys of their own.
extension JobMachine {
  /// The positions of those items of a batch that come to nothing if new records are under other keys.
  private func positions(in batch: JobBatch, needingKeysOf isMoved: (RecordName) -> Bool) -> Set<Int> {
    let known = queue.flatMap(\.items) + fresh
    let needed = NeededKeys(
      of: job.account, in: known.lazy.flatMap(\.step.writes), besides: unmade)
    // Members may be among the items that are not loaded yet.
    let mayHaveMembers = counts.left > known.count
    return Set(
      batch.items.filter { item in
        needed.areNeeded(by: item.step.writes, isMoved)
          || mayHaveMembers && item.step.writes.contains { $0.collection == .list && isMoved($0.name) }
      }.map(\.position))
  }

  /// Fails the items of the next batch that need keys which the server does not keep.
  private mutating func leaveMisplaced(at now: Moment) -> Action? {
    guard choosesKeys, let batch = queue.last else { return nil }
    let created = Set(batch.items.flatMap(\.step.writes).filter { $0.isCreation }.map(\.name))
    let positions = positions(in: batch) { [unmade] in created.contains($0) || unmade.contains($0) }
    guard !positions.isEmpty else { return nil }
    forget(positions, of: batch)
    let state = JobItemState.failed(SkipReason.keyNotKept.description)
    return leave(
      Dictionary(positions.map { ($0, state) }) { first, _ in first }, keepingDoubt: batch.wasInDoubt, at: now
    )
  }

  /// Continues after the last batch took effect: if the server has put records under other keys than those that they
  /// need, they are deleted again.
  private mutating func made(learning keys: [RecordName: RecordKey]) -> Action {
    guard let last = queue.indices.last else { return conclude(.done, isPaid: true) }
    let batch = queue[last]
    if batch.items.contains(where: { $0.step.writes.contains(where: \.isCreation) }) {
      choosesKeys = !keys.isEmpty
    }
    guard !keys.isEmpty else { return conclude(.done, isPaid: true) }
    let positions = positions(in: batch) { [unmade] in keys[$0] != nil || unmade.contains($0) }
    guard !positions.isEmpty else { return conclude(.done, isPaid: true, learning: keys) }
    // Until they are gone, the commit stays in doubt; after a failure, the repository is asked again what is there.
    queue[last].wasInDoubt = true
    queue[last].question = .outcome
    misplaced = (keys, positions)
    let made = batch.items.filter { positions.contains($0.position) }.flatMap(\.step.writes)
    return .takeBack(
      made.filter(\.isCreation).map { write in
        RecordWrite(
          collection: write.collection, rkey: keys[write.name] ?? write.rkey, action: .delete(former: nil))
      })
  }

  /// Records the outcome of a batch of which a part was deleted again.
  private mutating func concludeTakenBack() -> Action {
    guard let (keys, positions) = misplaced else { return conclude(.done, isPaid: true) }
    misplaced = nil
    let batch = queue.removeLast()
    forget(positions, of: batch)
    lost.formUnion(positions)
    strikes += positions.count
    if positions.count < batch.items.count { successes += 1 }
    (troubles, troubledSince, limits) = (0, nil, 0)
    var states: [Int: JobItemState] = [:]
    for item in batch.items {
      let state =
        positions.contains(item.position)
        ? JobItemState.failed(SkipReason.deletedAgain.description) : .done
      states[item.position] = state
      counts.move(1, from: batch.counted, to: state.kind, points: item.step.points)
    }
    let steps = batch.steps(under: keys).filter { !positions.contains($0.key) }
    return .record(JobOutcome(commit: batch.number, isPaid: true, states: states, steps: steps))
  }

  private mutating func forget(_ positions: Set<Int>, of batch: JobBatch) {
    let items = batch.items.filter { positions.contains($0.position) }
    unmade.formUnion(items.flatMap(\.step.writes).filter(\.isCreation).map(\.name))
  }
}

extension JobMachine {
  /// Handles the repository's answer to whether a commit took effect.
  private mutating func settled(
    _ hasHappened: Bool, learning keys: [RecordName: RecordKey] = [:], at now: Moment
  ) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    if hasHappened {
      // As which commit is unknown, and so is what came before it.
      if !queue[last].isNotOurs {
        basis = nil
        forgetChecks()
      }
      return queue[last].isNotOurs
        ? conclude(.skipped(SkipReason.wasGone.description), isPaid: false) : made(learning: keys)
    }
    // The deletion whose answer was lost has happened.
    if misplaced != nil { return concludeTakenBack() }
    let question = queue[last].question
    queue[last].question = nil
    if case .lastWord(let refusal) = question { return isolate(refusal) }
    // If the server keeps losing the answer, try smaller commits.
    if queue[last].doubts >= 2, queue[last].items.count > 1, !isGivingUp { return shrink(at: now) }
    return proceed(at: now)
  }

  /// Continues with commits of half the size, or of the size that the server reports: each refused one costs
  /// points as well.
  private mutating func shrink(to most: Int? = nil, at now: Moment) -> Action {
    guard let batch = queue.last else { return proceed(at: now) }
    let writes = batch.items.reduce(0) { $0 + $1.step.writes.count }
    mostWrites = most.flatMap { (1..<writes).contains($0) ? $0 : nil } ?? max(1, writes / 2)
    let pieces = batch.cut(writes: mostWrites)
    return cut(into: pieces.count > 1 ? pieces : batch.halves, mayArrive: batch.wasInDoubt)
  }

  /// Records one state for all items of the last batch, which finishes it.
  private mutating func conclude(
    _ state: JobItemState, isPaid: Bool, learning keys: [RecordName: RecordKey] = [:]
  ) -> Action {
    let batch = queue.removeLast()
    if isPaid {
      successes += 1
      (troubles, troubledSince, limits) = (0, nil, 0)
    }
    // The job's own update must not count as a change by others in a later step.
    if state == .done { for write in batch.items.flatMap(\.step.writes) { snapshot?.record(done: write) } }
    if state.kind == .failed { lost.formUnion(batch.items.map(\.position)) }
    counts.move(batch.items.count, from: batch.counted, to: state.kind, points: batch.points)
    var outcome = outcome(of: batch, state, isPaid: isPaid)
    if !keys.isEmpty { outcome.steps = batch.steps(under: keys) }
    return .record(outcome)
  }

  private func outcome(of batch: JobBatch, _ state: JobItemState, isPaid: Bool) -> JobOutcome {
    JobOutcome(
      commit: batch.number, isPaid: isPaid,
      states: Dictionary(batch.items.map { ($0.position, state) }) { first, _ in first },
      keepsDoubt: batch.wasInDoubt && (state.kind == .pending || state.kind == .failed))
  }

  /// Fails the step that is refused; with several steps, splits the batch to find it.
  private mutating func isolate(_ refusal: String) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else { return fail(refusal) }
    return cut(into: batch.halves)
  }

  /// Returns the last batch to the journal and continues with its pieces.
  ///
  /// - Parameter mayArrive: whether it may still take effect, which would cost its points in addition to
  ///   those of the pieces.
  private mutating func cut(into pieces: [JobBatch], mayArrive: Bool = false) -> Action {
    let batch = queue.removeLast()
    for piece in pieces.reversed() { queue.append(countedAsPending(piece)) }
    return .record(outcome(of: batch, .pending, isPaid: mayArrive))
  }

  /// Counts what was in doubt as pending, as the journal does from then on.
  private mutating func countedAsPending(_ batch: JobBatch) -> JobBatch {
    var batch = batch
    counts.move(batch.items.count, from: batch.counted, to: .pending, points: batch.points)
    batch.counted = .pending
    return batch
  }

  private mutating func fail(_ reason: String) -> Action {
    strikes += 1
    if successes == 0, strikes >= Self.mostStrikes {
      afterRecord = .stopped(
        JobStop(.refused, "the server refused the first \(strikes) steps, most recently: \(reason)"))
    }
    return conclude(.failed(reason), isPaid: false)
  }

  /// Ends the run. What was certainly not written becomes pending again; what is in doubt stays so.
  private mutating func stop(_ stop: JobStop) -> Action {
    guard let batch = queue.last, batch.isBegun, !batch.wasInDoubt else { return .end(.stopped(stop)) }
    queue.removeLast()
    afterRecord = .stopped(stop)
    return .record(outcome(of: batch, .pending, isPaid: false))
  }
}

extension JobMachine {
  /// Handles a server that did not do what was sent, or did not answer a question.
  private mutating func failed(_ error: RepositoryError, whileSending: Bool, at now: Moment) -> Action {
    switch error.code {
    case .notAuthorized: stop(JobStop(.notAuthorized, error.detail))
    case .notPermitted:
      notPermitted(JobStop(.notPermitted, error.detail), whileSending: whileSending, at: now)
    case .accountSuspended:
      notPermitted(JobStop(.accountSuspended, error.detail), whileSending: whileSending, at: now)
    case .accountDeactivated:
      notPermitted(JobStop(.accountDeactivated, error.detail), whileSending: whileSending, at: now)
    case .rateLimited: limited(error, at: now)
    case .refused: whileSending ? refused(error.detail, at: now) : refusedToTell(error.detail)
    case .taken: taken(error.detail, at: now)
    case .partial: partlyThere(at: now)
    case .outdated where whileSending: overtaken(error, at: now)
    case .tooLarge where whileSending: tooLarge(error, at: now)
    case .unavailable: rest(troubled(error, at: now))
    default: whileSending ? doubted(error, at: now) : troubled(error, at: now)
    }
  }

  /// Fails what the session or the account may not do: a new sign-in of the same kind would not help, so waiting for
  /// one would never end. Other items may be permitted.
  private mutating func notPermitted(_ stop: JobStop, whileSending: Bool, at now: Moment) -> Action {
    guard whileSending, let batch = queue.last else { return self.stop(stop) }
    if batch.wasInDoubt { return refused(stop.detail, at: now) }
    notPermitted = stop
    strikes += 1
    if successes == 0, strikes >= Self.mostStrikes { afterRecord = .stopped(stop) }
    return conclude(.failed(stop.detail), isPaid: false)
  }

  /// Compares again after a commit of another app: nothing was written. If other apps are always faster, waits.
  private mutating func overtaken(_ error: RepositoryError, at now: Moment) -> Action {
    (snapshot, basis) = (nil, nil)
    comparesRecords = true
    forgetChecks()
    guard let last = queue.indices.last else { return proceed(at: now) }
    queue[last].isChecked = false
    overtakings += 1
    if overtakings > Self.mostOvertakings { return rest(troubled(error, at: now)) }
    guard queue[last].isBegun, !queue[last].wasInDoubt, queue[last].question == nil else {
      return proceed(at: now)
    }
    return returned(last)
  }

  /// Records that a commit was certainly not written, and is not on its way.
  private mutating func returned(_ index: Int) -> Action {
    let outcome = outcome(of: queue[index], .pending, isPaid: false)
    queue[index].isBegun = false
    queue[index].number = nil
    return .record(outcome)
  }

  /// Some servers also refuse to create a record that exists, or to delete one that is gone (table of PDSes).
  /// Before a step fails, and before a commit is split that was sent before, the repository is asked.
  private mutating func refused(_ reason: String, at now: Moment) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    let isAsked = queue[last].wasInDoubt || queue[last].items.count == 1
    guard isAsked, !queue[last].isCall else { return isolate(reason) }
    queue[last].question = .lastWord(refusal: reason)
    return proceed(at: now)
  }

  /// A record cannot be created because its key is taken: once it is found, its step fails and the others
  /// continue.
  private mutating func taken(_ reason: String, at now: Moment) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else {
      // Its key belongs to another record: this one was not created and never will be.
      if let last = queue.indices.last { queue[last].wasInDoubt = false }
      return fail(reason)
    }
    return batch.wasInDoubt ? askByHalves(batch, at: now) : cut(into: batch.halves)
  }

  /// Handles items of which some arrived late with an earlier commit: those are done, and the others are
  /// searched for.
  ///
  /// A step goes in one commit. So if a single step is only partly there, its missing records were removed
  /// since, unless it was refused and never in doubt.
  private mutating func partlyThere(at now: Moment) -> Action {
    guard let batch = queue.last else { return proceed(at: now) }
    return batch.items.count > 1 ? askByHalves(batch, at: now) : settled(batch.wasInDoubt, at: now)
  }

  /// Asks the repository about each half. Sending would be unsafe, because some servers overwrite (table of
  /// PDSes).
  private mutating func askByHalves(_ batch: JobBatch, at now: Moment) -> Action {
    var halves = batch.halves
    for index in halves.indices {
      halves[index].question = .outcome
      halves[index].number = takeNumber()
    }
    guard isGivingUp else { return cut(into: halves) }
    // What is not sent again stays in doubt until it is settled; the first half keeps the points of the
    // whole.
    halves[0].number = batch.number
    return replaceLast(with: halves, at: now)
  }

  /// If the server does not say whether a commit took effect, it stays in doubt; one that was refused and
  /// never in doubt did not take effect.
  private mutating func refusedToTell(_ reason: String) -> Action {
    guard let last = queue.indices.last, !queue[last].wasInDoubt,
      case .lastWord(let refusal) = queue[last].question
    else { return stop(JobStop(.refused, reason)) }
    queue[last].question = nil
    return isolate(refusal)
  }

  private mutating func tooLarge(_ error: RepositoryError, at now: Moment) -> Action {
    guard let batch = queue.last, batch.items.count > 1, !batch.wasInDoubt else {
      return refused(error.detail, at: now)
    }
    return shrink(to: error.mostWrites, at: now)
  }

  private mutating func limited(_ error: RepositoryError, at now: Moment) -> Action {
    limits += 1
    // Enforces a minimum wait, even if the server asks for none.
    let wait = max(error.retryAfter ?? .seconds(60), Self.pause(after: limits))
    if stopsWhenShort || longestWait.map({ wait > $0 }) == true {
      return stop(JobStop(.rateLimited, error.detail, until: now.wall + wait))
    }
    return rest(.wait(wait, error.retryAfter == nil ? .trouble(error.detail) : .rateLimit))
  }

  private mutating func doubted(_ error: RepositoryError, at now: Moment) -> Action {
    if let last = queue.indices.last {
      queue[last].wasInDoubt = true
      queue[last].doubts += 1
      queue[last].question = queue[last].isCall ? nil : .outcome
    }
    return troubled(error, at: now)
  }

  /// Retries after a backoff, or when the server asks for it, until patience runs out.
  private mutating func troubled(_ error: RepositoryError, at now: Moment) -> Action {
    troubles += 1
    let since = troubledSince ?? now.steady
    troubledSince = since
    let wait = max(Self.pause(after: troubles), error.retryAfter ?? .zero)
    guard now.steady - since + wait <= patience else {
      let until = error.retryAfter.map { now.wall + $0 }
      return stop(JobStop(.unavailable, error.detail, until: until))
    }
    return .wait(wait, .trouble(error.detail))
  }

  /// Waits, or ends. What was certainly not written is not left in doubt in the journal meanwhile.
  private mutating func rest(_ wait: Action) -> Action {
    guard case .wait = wait, let last = queue.indices.last, queue[last].isBegun, !queue[last].wasInDoubt,
      queue[last].question == nil
    else { return wait }
    waitAfterRecord = wait
    return returned(last)
  }

  /// Exponential backoff: one second after the first failure in a row, doubling up to one minute.
  private static func pause(after failures: Int) -> Duration {
    .seconds(min(60, 1 << min(failures - 1, 6)))
  }
}
