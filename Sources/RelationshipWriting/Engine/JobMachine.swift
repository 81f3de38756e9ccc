// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import Relationships

/// Decides what a run of a job does next; told of what came of it, it decides anew. It does nothing itself.
///
/// The order that makes a change happen exactly once: a commit is begun in the journal, then sent, then its outcome
/// is recorded. Whoever finds a commit begun and without an outcome asks the repository before anything else; a
/// commit that has not happened is sent again with the same keys.
struct JobMachine: Sendable {
  /// A moment by both clocks: waits and ages are measured by the steady one, which nobody sets.
  struct Moment: Sendable, Hashable {
    /// Microseconds since 1970.
    var wall: Int64
    /// By a clock that only goes forward.
    var steady: Duration
  }

  /// What to do.
  enum Action: Sendable, Hashable {
    /// Read pending items beyond a place.
    case load(after: Int?)
    /// List what the repository holds of what the items are about that are left.
    case takeSnapshot
    /// Compare the records that the items are about with what they are thought to be.
    ///
    /// More of them than go in the next commit, so that they can be looked up together.
    case check([JobItem], RepositorySnapshot)
    /// Begin the commit in the journal.
    case begin(JobCommit)
    /// Send the commit, or make its call.
    case send(JobCommit)
    /// Ask the repository whether the commit has happened.
    case settle(JobCommit)
    /// Write down what became of items.
    case record(JobOutcome)
    /// Wait so long.
    case wait(Duration, JobWait)
    /// Write down that the run ends, and end it.
    case end(JobEnd)
  }

  /// What came of it.
  enum Event: Sendable {
    /// The pending items that were read; none when there are none beyond.
    case loaded([JobItem])
    /// What the repository holds.
    case snapshotTaken(RepositorySnapshot)
    /// What may be done of each item that was to be checked, by position.
    case checked([Int: StepPrecondition])
    /// The journal's answer to a commit.
    case began(CommitReservation)
    /// The server said that it is done.
    case sent
    /// The server, or nobody, answered to what was sent or asked.
    case failed(RepositoryError)
    /// Whether the commit has happened.
    case settled(Bool)
    /// It is written down.
    case recorded
    /// The time has come.
    case waited
    /// While it waited somebody paused or cancelled the job.
    case halted(JobState)
    /// The task was cancelled before the action did anything.
    case interrupted
  }

  /// Items that are read at once; what is in memory of a job is bounded by it.
  static let itemsPerLoad = 2 * RecordWrite.mostPerCommit
  /// Refused steps in a row after which a run that has done nothing yet ends: it is the account that is refused.
  static let mostStrikes = 25
  /// How long what is known of the records is relied upon.
  static let knowledgeLasts = Duration.seconds(300)

  let job: Job
  /// Whether to end with the time instead of waiting for points.
  private let stopsWhenShort: Bool
  /// How long failures in a row are borne, from the first one on.
  private let patience: Duration
  /// The items by state, as far as they are recorded.
  private(set) var counts: JobCounts
  /// Work that was begun or cut, the next at the end.
  private var queue: [JobBatch]
  private var fresh: ArraySlice<JobItem> = []
  private var lastLoaded: Int?
  private var isExhausted = false
  private var nextNumber: Int
  /// The most writes that go in one commit: as many as are wanted, or as this server has shown to take.
  private var mostWrites: Int
  /// Whether all that is sent is compared with what the repository holds: not in the run right after the planning.
  private var comparesRecords: Bool
  private var snapshot: RepositorySnapshot?
  /// When what is known of the records was learned, by the steady clock.
  private var learnedAt: Duration?
  /// What may be done of the items that were compared last, and when that was; of those behind the next batch, too.
  private var checks: [Int: StepPrecondition] = [:]
  private var checkedAt = Duration.zero
  /// Places of items that will not be done in this run.
  private var lost: Set<Int> = []
  private var isSending = false
  private var troubles = 0
  private var troubledSince: Duration?
  private var limits = 0
  private var successes = 0
  private var strikes = 0
  private var afterRecord: JobEnd?
  private var waitAfterRecord: Action?

  /// - Parameters:
  ///   - doubts: the commits of an earlier run whose outcome is not known.
  ///   - counts: the items by state, those in doubt included.
  ///   - writesPerCommit: the most writes that are wanted in one commit; at least 1.
  ///   - patience: how long failures in a row are borne.
  ///   - factsReadAt: when, by the steady clock, the facts were read that the items rest on; nil where the job was not
  ///     planned just now. What undoes a job is compared in any case.
  init(
    job: Job, doubts: [JobCommit], counts: JobCounts, stopsWhenShort: Bool = false,
    writesPerCommit: Int = RecordWrite.mostPerCommit, patience: Duration = JobRunner.Options.usualPatience,
    factsReadAt: Duration?
  ) {
    self.job = job
    comparesRecords = job.undoes != nil || factsReadAt == nil
    learnedAt = factsReadAt
    self.stopsWhenShort = stopsWhenShort
    self.patience = patience
    mostWrites = writesPerCommit
    self.counts = counts
    queue = doubts.sorted { $0.number > $1.number }.map {
      JobBatch(inDoubt: $0, isChecked: job.undoes != nil)
    }
    nextNumber = (doubts.map(\.number).max() ?? 0) + 1
  }

  /// Whether what is pending is not to be sent any more.
  private var isGivingUp: Bool { job.state == .cancelled }

  /// The first thing to do.
  mutating func start(at now: Moment) -> Action { proceed(at: now) }

  /// What to do next.
  mutating func received(_ event: Event, at now: Moment) -> Action {
    let wasSending = isSending
    isSending = false
    if now.steady - checkedAt >= Self.knowledgeLasts { checks = [:] }
    switch event {
    case .loaded(let items): return loaded(items, at: now)
    case .snapshotTaken(let snapshot):
      self.snapshot = snapshot
      learnedAt = now.steady
      return proceed(at: now)
    case .checked(let checks):
      (self.checks, checkedAt) = (checks, now.steady)
      return checked(checks, at: now)
    case .began(let reservation): return began(reservation, at: now)
    case .sent: return conclude(.done, isPaid: true)
    case .failed(let error): return failed(error, whileSending: wasSending, at: now)
    case .settled(let hasHappened): return settled(hasHappened, at: now)
    case .recorded:
      if let end = afterRecord { return .end(end) }
      if let wait = waitAfterRecord {
        waitAfterRecord = nil
        return wait
      }
      return proceed(at: now)
    case .waited:
      // After a wait the records may be others.
      checks = [:]
      for index in queue.indices where !queue[index].isBegun { queue[index].isChecked = false }
      return proceed(at: now)
    case .halted(let state): return .end(state == .cancelled ? .cancelled : .paused)
    case .interrupted: return stop(JobStop(.interrupted, "interrupted"))
    }
  }

  // MARK: - What comes next

  private mutating func proceed(at now: Moment) -> Action {
    guard let last = queue.indices.last else { return refill(at: now) }
    if queue[last].question != nil, let commit = commit(of: last) { return .settle(commit) }
    if isGivingUp { return giveUp() }
    if let leaving = leaveStranded(at: now) { return leaving }
    if let comparison = compare(at: now) { return comparison }
    if queue[last].number == nil {
      let pieces = queue[last].cut(writes: mostWrites)
      if pieces.count > 1 { return replaceLast(with: pieces, at: now) }
      queue[last].number = takeNumber()
    }
    guard let commit = commit(of: last) else { return refill(at: now) }
    return .begin(commit)
  }

  /// A commit that has not happened is not sent again. Nobody can say whether a call has: making it again settles it.
  private mutating func giveUp() -> Action {
    guard let batch = queue.last, batch.isCall, let commit = commit(of: queue.endIndex - 1) else {
      return conclude(.cancelled, isPaid: false)
    }
    isSending = true
    return .send(commit)
  }

  /// A number that no other commit of this run has, nor any that is in doubt.
  private mutating func takeNumber() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  private func commit(of index: Int) -> JobCommit? {
    queue[index].number.map { JobCommit(number: $0, items: queue[index].items) }
  }

  private mutating func refill(at now: Moment) -> Action {
    if isGivingUp { return .end(.cancelled) }
    guard !fresh.isEmpty else { return isExhausted ? .end(.done) : .load(after: lastLoaded) }
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
      return .send(commit)
    case .halted(let state):
      return .end(state == .cancelled ? .cancelled : .paused)
    case .short(let left, let until):
      return short(left: left, until: until, at: now)
    case .contended(let jobs):
      return leave(jobs.mapValues { .failed(SkipReason.inDoubtElsewhere($0).description) }, at: now)
    case .outdated:
      (snapshot, learnedAt, checks) = (nil, nil, [:])
      comparesRecords = true
      if let last = queue.indices.last { queue[last].isChecked = false }
      return proceed(at: now)
    }
  }

  /// Sends less where a good part of the commit can be paid; otherwise waits until all of it can.
  private mutating func short(left: Int, until: Int64?, at now: Moment) -> Action {
    guard let batch = queue.last else { return proceed(at: now) }
    if 4 * left >= batch.points || until == nil {
      if let (first, rest) = batch.split(points: left) {
        return send(first, before: rest, of: batch, at: now)
      }
      if until == nil, batch.items.count > 1 {
        return send(batch.halves[0], before: batch.halves[1], of: batch, at: now)
      }
    }
    guard let until else {
      return stop(
        JobStop(
          .budget,
          "one step costs \(batch.points) points, more than the budget ever allows; allow more, or leave fewer"
        ))
    }
    if stopsWhenShort {
      return stop(JobStop(.budget, "the points of the write budget are used up", until: until))
    }
    return .wait(max(.microseconds(until - now.wall), .zero), .budget)
  }

  /// Goes on with a part of the last batch. Where that stood in doubt, and was found not to have happened, only the
  /// part that is sent is pending: it gives the points of the whole back, and the rest stays in doubt as it was.
  private mutating func send(
    _ first: JobBatch, before rest: JobBatch, of batch: JobBatch, at now: Moment
  ) -> Action {
    guard batch.isBegun else { return replaceLast(with: [first, rest], at: now) }
    var rest = rest
    rest.number = batch.number
    rest.isBegun = true
    queue.removeLast()
    queue.append(rest)
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

/// What is done about records that others may have changed since the job was planned.
extension JobMachine {
  /// Compares the next batch with what the repository holds, where that is still to be done. What changes a record is
  /// compared right before it is sent, for it would overwrite what others have changed meanwhile.
  private mutating func compare(at now: Moment) -> Action? {
    guard let batch = queue.last, !batch.isChecked else { return nil }
    let isOld = learnedAt.map { now.steady - $0 >= Self.knowledgeLasts } ?? true
    guard comparesRecords || isOld || batch.changesRecords else { return nil }
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

  /// The items that are compared along with a batch, so that one look-up does for a whole load; none about a record
  /// that one before them changes.
  private func behind(_ batch: JobBatch) -> ArraySlice<JobItem> {
    guard queue.count == 1 else { return [] }
    let together = JobBatch.fitting(batch.items + fresh, writes: .max)
    return fresh.prefix(max(0, together - batch.items.count))
  }

  /// Goes on with what may be done of the next batch, and tells what is left alone.
  private mutating func checked(_ checks: [Int: StepPrecondition], at now: Moment) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    var left: [Int: JobItemState] = [:]
    queue[last].isChecked = true
    for index in queue[last].items.indices {
      let item = queue[last].items[index]
      switch checks[item.position] {
      case .leave(let reason): left[item.position] = .skipped(reason.description)
      case .proceed(let step):
        counts.add(0, .pending, points: step.points - item.step.points)
        queue[last].items[index].step = step
      case nil: break
      }
    }
    return leave(left, at: now)
  }

  /// Gives items of the next batch a state without sending them; what is left of the batch goes on.
  private mutating func leave(_ states: [Int: JobItemState], at now: Moment) -> Action {
    guard let last = queue.indices.last, !states.isEmpty else { return proceed(at: now) }
    for item in queue[last].items {
      guard let kind = states[item.position]?.kind else { continue }
      counts.move(1, from: queue[last].counted, to: kind, points: item.step.points)
      if kind == .failed { lost.insert(item.position) }
    }
    queue[last].items.removeAll { states[$0.position] != nil }
    // A commit of which nothing is left gives its points back.
    let commit = queue[last].items.isEmpty ? queue.removeLast().number : nil
    return .record(JobOutcome(commit: commit, states: states))
  }

  /// Leaves what depends on items that were not done; nil where nothing of the next batch does.
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

extension JobMachine {
  /// What to do now that the repository has said whether a commit has happened.
  private mutating func settled(_ hasHappened: Bool, at now: Moment) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    if hasHappened {
      return queue[last].isNotOurs
        ? conclude(.skipped(SkipReason.wasGone.description), isPaid: false) : conclude(.done, isPaid: true)
    }
    let question = queue[last].question
    queue[last].question = nil
    if case .lastWord(let refusal) = question { return isolate(refusal) }
    // A server that never comes to its answer may do so with less.
    if queue[last].doubts >= 2, queue[last].items.count > 1, !isGivingUp { return shrink(at: now) }
    return proceed(at: now)
  }

  /// Goes on with commits of half the size, or of the size that the server names: each one that is refused costs
  /// points all the same.
  private mutating func shrink(to most: Int? = nil, at now: Moment) -> Action {
    guard let batch = queue.last else { return proceed(at: now) }
    let writes = batch.items.reduce(0) { $0 + $1.step.writes.count }
    mostWrites = most.flatMap { (1..<writes).contains($0) ? $0 : nil } ?? max(1, writes / 2)
    let pieces = batch.cut(writes: mostWrites)
    return cut(into: pieces.count > 1 ? pieces : batch.halves, mayArrive: batch.wasInDoubt)
  }

  /// Writes one state down for all items of the last batch, which is over with that.
  private mutating func conclude(_ state: JobItemState, isPaid: Bool) -> Action {
    let batch = queue.removeLast()
    if isPaid {
      successes += 1
      (troubles, troubledSince, limits) = (0, nil, 0)
    }
    // What comes next of a record that the job itself has changed is not to be left alone for that.
    if state == .done { for write in batch.items.flatMap(\.step.writes) { snapshot?.take(done: write) } }
    if state.kind == .failed { lost.formUnion(batch.items.map(\.position)) }
    counts.move(batch.items.count, from: batch.counted, to: state.kind, points: batch.points)
    return .record(outcome(of: batch, state, isPaid: isPaid))
  }

  private func outcome(of batch: JobBatch, _ state: JobItemState, isPaid: Bool) -> JobOutcome {
    JobOutcome(
      commit: batch.number, isPaid: isPaid,
      states: Dictionary(batch.items.map { ($0.position, state) }) { first, _ in first },
      keepsDoubt: batch.wasInDoubt && (state.kind == .pending || state.kind == .failed))
  }

  /// Marks the one step that is refused, or cuts in two to find it.
  private mutating func isolate(_ refusal: String) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else { return fail(refusal) }
    return cut(into: batch.halves)
  }

  /// Gives the last batch back to the journal and goes on with its pieces.
  ///
  /// - Parameter mayArrive: whether it may still happen, and then costs its points beside those of the pieces.
  private mutating func cut(into pieces: [JobBatch], mayArrive: Bool = false) -> Action {
    let batch = queue.removeLast()
    for piece in pieces.reversed() { queue.append(countedAsPending(piece)) }
    return .record(outcome(of: batch, .pending, isPaid: mayArrive))
  }

  /// Counts what stood in doubt as pending, as the journal does from then on.
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
        JobStop(.refused, "the server refused the first \(strikes) steps, the last one so: \(reason)"))
    }
    return conclude(.failed(reason), isPaid: false)
  }

  /// Ends the run. What certainly was not written is given back; what is in doubt stays so.
  private mutating func stop(_ stop: JobStop) -> Action {
    guard let batch = queue.last, batch.isBegun, !batch.wasInDoubt else { return .end(.stopped(stop)) }
    queue.removeLast()
    afterRecord = .stopped(stop)
    return .record(outcome(of: batch, .pending, isPaid: false))
  }
}

extension JobMachine {
  /// What to do about a server that did not do what was sent, or did not answer what was asked.
  private mutating func failed(_ error: RepositoryError, whileSending: Bool, at now: Moment) -> Action {
    switch error.code {
    case .notAuthorized: stop(JobStop(.notAuthorized, error.detail))
    case .rateLimited: limited(error, at: now)
    case .refused: whileSending ? refused(error.detail, at: now) : refusedToTell(error.detail)
    case .taken: taken(error.detail, at: now)
    case .partial: partlyThere(at: now)
    case .tooLarge where whileSending: tooLarge(error, at: now)
    case .unavailable: rest(troubled(error, at: now))
    default: whileSending ? doubted(error, at: now) : troubled(error, at: now)
    }
  }

  /// A record that is there already is refused too, by some servers; so is one that is to go and has gone (table of
  /// PDSes). Before a step is given up, and before a commit is cut that was sent before, the repository has the
  /// last word.
  private mutating func refused(_ reason: String, at now: Moment) -> Action {
    guard let last = queue.indices.last else { return proceed(at: now) }
    let isAsked = queue[last].wasInDoubt || queue[last].items.count == 1
    guard isAsked, !queue[last].isCall else { return isolate(reason) }
    queue[last].question = .lastWord(refusal: reason)
    return proceed(at: now)
  }

  /// One record cannot be made under its key: its step fails, once it is found, and the others go on.
  private mutating func taken(_ reason: String, at now: Moment) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else {
      // What is under its key is another record: it was not made, and never will be.
      if let last = queue.indices.last { queue[last].wasInDoubt = false }
      return fail(reason)
    }
    return batch.wasInDoubt ? askByHalves(batch, at: now) : cut(into: batch.halves)
  }

  /// Some of the items went in an earlier commit that came late: they are done, and the others are found.
  ///
  /// A step goes in one commit: what is missing of a single one, somebody has removed since, unless it was refused
  /// and never in doubt.
  private mutating func partlyThere(at now: Moment) -> Action {
    guard let batch = queue.last else { return proceed(at: now) }
    return batch.items.count > 1 ? askByHalves(batch, at: now) : settled(batch.wasInDoubt, at: now)
  }

  /// The repository says which half it is: sending is no way to ask, for some servers overwrite (table of PDSes).
  private mutating func askByHalves(_ batch: JobBatch, at now: Moment) -> Action {
    var halves = batch.halves
    for index in halves.indices {
      halves[index].question = .outcome
      halves[index].number = takeNumber()
    }
    guard isGivingUp else { return cut(into: halves) }
    // What is not sent again stays in doubt until it is known; the points of the whole go with the first half.
    halves[0].number = batch.number
    return replaceLast(with: halves, at: now)
  }

  /// Who does not tell whether a commit has happened leaves it in doubt; one that was refused and never in doubt
  /// has not happened.
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
    // A server that asks for no wait, again and again, gets one all the same.
    let wait = max(error.retryAfter ?? .seconds(60), Self.pause(after: limits))
    if stopsWhenShort {
      return stop(JobStop(.rateLimited, error.detail, until: now.wall + wait.inMilliseconds * 1_000))
    }
    return rest(.wait(wait, .rateLimit))
  }

  private mutating func doubted(_ error: RepositoryError, at now: Moment) -> Action {
    if let last = queue.indices.last {
      queue[last].wasInDoubt = true
      queue[last].doubts += 1
      queue[last].question = queue[last].isCall ? nil : .outcome
    }
    return troubled(error, at: now)
  }

  /// Tries again after a pause, or when the server wants to be asked again, as long as patience lasts.
  private mutating func troubled(_ error: RepositoryError, at now: Moment) -> Action {
    troubles += 1
    let since = troubledSince ?? now.steady
    troubledSince = since
    let wait = max(Self.pause(after: troubles), error.retryAfter ?? .zero)
    guard now.steady - since + wait <= patience else {
      let until = error.retryAfter.map { now.wall + $0.inMilliseconds * 1_000 }
      return stop(JobStop(.unavailable, error.detail, until: until))
    }
    return .wait(wait, .trouble(error.detail))
  }

  /// Waits, or ends. What certainly was not written does not stand in the journal as in doubt meanwhile.
  private mutating func rest(_ wait: Action) -> Action {
    guard case .wait = wait, let last = queue.indices.last, queue[last].isBegun, !queue[last].wasInDoubt,
      queue[last].question == nil
    else { return wait }
    let outcome = outcome(of: queue[last], .pending, isPaid: false)
    queue[last].isBegun = false
    queue[last].number = nil
    waitAfterRecord = wait
    return .record(outcome)
  }

  /// A second after the first failure in a row, twice as long after each further one, a minute at most.
  private static func pause(after failures: Int) -> Duration {
    .seconds(min(60, 1 << min(failures - 1, 6)))
  }
}
