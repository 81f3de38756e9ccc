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
  /// What to do.
  enum Action: Sendable, Hashable {
    /// Read pending items beyond a place.
    case load(after: Int?)
    /// List what the repository holds of what the items are about that are left.
    case survey
    /// Compare the records that the items are about with what they are thought to be.
    case check([JobItem], RepositorySnapshot)
    /// Begin the commit in the journal.
    case begin(JobCommit)
    /// Send the commit, or make its call.
    case send(JobCommit)
    /// Ask the repository whether the commit has happened.
    case settle(JobCommit)
    /// Write down what became of items.
    case record(JobOutcome)
    /// Wait until a moment, in microseconds since 1970.
    case wait(until: Int64, JobWait)
    /// Write down that the run ends, and end it.
    case end(JobEnd)
  }

  /// What came of it.
  enum Event: Sendable {
    /// The pending items that were read; none when there are none beyond.
    case loaded([JobItem])
    /// What the repository holds.
    case surveyed(RepositorySnapshot)
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
  /// Failures in a row that a run bears, while its waits grow to a minute: about five minutes.
  static let mostTroubles = 10
  /// Refused steps in a row after which a run that has done nothing yet ends: it is the account that is refused.
  static let mostStrikes = 25
  /// How long what is known of the records is relied upon, in microseconds: five minutes.
  static let knowledgeLasts: Int64 = 300_000_000

  let job: Job
  /// Whether to end with the time instead of waiting for points.
  let stopsWhenShort: Bool
  /// The items by state, as far as they are recorded.
  var counts: JobCounts
  /// Work that was begun or cut, the next at the end.
  var queue: [JobBatch]
  private var fresh: ArraySlice<JobItem> = []
  private var lastLoaded: Int?
  private var isExhausted = false
  private var nextNumber: Int
  /// The most writes that go in one commit: as many as are wanted, or as this server has shown to take.
  var mostWrites: Int
  /// Whether what is to be sent is compared with what the repository holds: not in the first run of a job that was
  /// planned just now.
  var comparesRecords: Bool
  var census: RepositorySnapshot?
  /// When what is known of the records was learned.
  var learnedAt: Int64
  var isSending = false
  var troubles = 0
  var limits = 0
  var successes = 0
  var strikes = 0
  var afterRecord: JobEnd?
  var waitAfterRecord: Action?

  /// - Parameters:
  ///   - doubts: the commits of an earlier run whose outcome is not known.
  ///   - counts: the items by state, those in doubt included.
  ///   - writesPerCommit: the most writes that are wanted in one commit; at least 1.
  ///   - isPlannedNow: whether its items are as somebody wanted them just now; not so for what undoes a job.
  init(
    job: Job, doubts: [JobCommit], counts: JobCounts, stopsWhenShort: Bool = false,
    writesPerCommit: Int = RecordWrite.mostPerCommit, isPlannedNow: Bool = true
  ) {
    self.job = job
    comparesRecords = job.undoes != nil || !isPlannedNow
    learnedAt = job.plannedAt.microsecondsSinceEpoch
    self.stopsWhenShort = stopsWhenShort
    mostWrites = writesPerCommit
    self.counts = counts
    queue = doubts.sorted { $0.number > $1.number }.map {
      JobBatch(inDoubt: $0, isChecked: job.undoes != nil)
    }
    nextNumber = (doubts.map(\.number).max() ?? 0) + 1
  }

  /// Whether what is pending is not to be sent any more.
  var isGivingUp: Bool { job.state == .cancelled }

  /// The first thing to do.
  mutating func start(at now: Int64) -> Action { proceed() }

  /// What to do next.
  mutating func received(_ event: Event, at now: Int64) -> Action {
    let wasSending = isSending
    isSending = false
    switch event {
    case .loaded(let items): return loaded(items)
    case .surveyed(let census):
      self.census = census
      learnedAt = now
      return proceed()
    case .checked(let checks): return checked(checks)
    case .began(let beginning): return began(beginning, at: now)
    case .sent: return conclude(.done, isPaid: true)
    case .failed(let error): return failed(error, whileSending: wasSending, at: now)
    case .settled(let hasHappened): return settled(hasHappened)
    case .recorded:
      if let end = afterRecord { return .end(end) }
      if let wait = waitAfterRecord {
        waitAfterRecord = nil
        return wait
      }
      return proceed()
    case .waited:
      doubtRecords(at: now)
      return proceed()
    case .halted(let state): return .end(state == .cancelled ? .cancelled : .paused)
    case .interrupted: return stop(JobStop(.interrupted, "interrupted"))
    }
  }

  // MARK: - What comes next

  mutating func proceed() -> Action {
    guard let last = queue.indices.last else { return refill() }
    if queue[last].question != nil, let commit = commit(of: last) { return .settle(commit) }
    if isGivingUp { return giveUp() }
    if let comparison = compare() { return comparison }
    if queue[last].number == nil {
      let pieces = queue[last].cut(writes: mostWrites)
      if pieces.count > 1 { return replaceLast(with: pieces) }
      queue[last].number = takeNumber()
    }
    guard let commit = commit(of: last) else { return refill() }
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
  mutating func takeNumber() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  private func commit(of index: Int) -> JobCommit? {
    queue[index].number.map { JobCommit(number: $0, items: queue[index].items) }
  }

  private mutating func refill() -> Action {
    if isGivingUp { return .end(.cancelled) }
    guard !fresh.isEmpty else { return isExhausted ? .end(.done) : .load(after: lastLoaded) }
    let count = JobBatch.fitting(fresh, writes: mostWrites)
    queue.append(JobBatch(Array(fresh.prefix(count))))
    fresh = fresh.dropFirst(count)
    return proceed()
  }

  private mutating func loaded(_ items: [JobItem]) -> Action {
    fresh = items[...]
    lastLoaded = items.last?.position ?? lastLoaded
    isExhausted = items.isEmpty
    return proceed()
  }

  // MARK: - Before sending

  private mutating func began(_ beginning: CommitReservation, at now: Int64) -> Action {
    switch beginning {
    case .begun:
      guard let last = queue.indices.last, let commit = commit(of: last) else { return proceed() }
      queue[last].isBegun = true
      isSending = true
      return .send(commit)
    case .halted(let state):
      return .end(state == .cancelled ? .cancelled : .paused)
    case .short(let left, let until):
      return short(left: left, until: until, at: now)
    }
  }

  /// Sends less where a good part of the commit can be paid; otherwise waits until all of it can.
  private mutating func short(left: Int, until: Int64?, at now: Int64) -> Action {
    guard let batch = queue.last else { return proceed() }
    if 4 * left >= batch.points || until == nil {
      if let (first, rest) = batch.split(points: left) { return send(first, before: rest, of: batch) }
      if until == nil, batch.items.count > 1 {
        return send(batch.halves[0], before: batch.halves[1], of: batch)
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
    return .wait(until: until, .budget)
  }

  /// Goes on with a part of the last batch. Where that stood in doubt, and was found not to have happened, only the
  /// part that is sent is pending: it gives the points of the whole back, and the rest stays in doubt as it was.
  private mutating func send(_ first: JobBatch, before rest: JobBatch, of batch: JobBatch) -> Action {
    guard batch.isBegun else { return replaceLast(with: [first, rest]) }
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

  mutating func replaceLast(with batches: [JobBatch]) -> Action {
    queue.removeLast()
    queue += batches.reversed()
    return proceed()
  }
}

/// What is done about records that others may have changed since the job was planned.
extension JobMachine {
  /// Compares the next batch with what the repository holds, where that is still to be done.
  mutating func compare() -> Action? {
    guard comparesRecords, let batch = queue.last, !batch.isChecked else { return nil }
    guard let census else { return .survey }
    if job.undoes != nil { return .check(batch.items, census) }
    let checks = batch.items.map { item in
      (item.position, StepPrecondition(resuming: item.step, beside: census, wasInDoubt: batch.wasInDoubt))
    }
    return checked(Dictionary(checks) { first, _ in first })
  }

  /// Goes on with what may be done of the next batch, and tells what is left alone.
  mutating func checked(_ checks: [Int: StepPrecondition]) -> Action {
    guard let last = queue.indices.last else { return proceed() }
    var left: [Int: JobItemState] = [:]
    var points = 0
    let counted = queue[last].counted
    queue[last].isChecked = true
    queue[last].items = queue[last].items.compactMap { item in
      var item = item
      switch checks[item.position] {
      case .leave(let reason):
        left[item.position] = .skipped(reason.description)
        points += item.step.points
        return nil
      case .proceed(let step):
        counts.add(0, .pending, points: step.points - item.step.points)
        item.step = step
      case nil: break
      }
      return item
    }
    // A commit of which nothing is left gives its points back.
    let commit = queue[last].items.isEmpty ? queue.removeLast().number : nil
    guard !left.isEmpty else { return proceed() }
    counts.move(left.count, from: counted, to: .skipped, points: points)
    return .record(JobOutcome(commit: commit, states: left))
  }

  /// After a wait the records may be others.
  mutating func doubtRecords(at now: Int64) {
    for index in queue.indices where !queue[index].isBegun { queue[index].isChecked = false }
    guard now - learnedAt >= Self.knowledgeLasts else { return }
    comparesRecords = true
    census = nil
  }
}

extension JobMachine {
  /// What to do now that the repository has said whether a commit has happened.
  mutating func settled(_ hasHappened: Bool) -> Action {
    guard let last = queue.indices.last else { return proceed() }
    if hasHappened {
      return queue[last].isNotOurs
        ? conclude(.skipped(SkipReason.wasGone.description), isPaid: false) : conclude(.done, isPaid: true)
    }
    let question = queue[last].question
    queue[last].question = nil
    if case .lastWord(let refusal) = question { return isolate(refusal) }
    // A server that never comes to its answer may do so with less.
    if queue[last].doubts >= 2, queue[last].items.count > 1, !isGivingUp { return shrink() }
    return proceed()
  }

  /// Goes on with commits of half the size, or of the size that the server names: each one that is refused costs
  /// points all the same.
  mutating func shrink(to most: Int? = nil) -> Action {
    guard let batch = queue.last else { return proceed() }
    let writes = batch.items.reduce(0) { $0 + $1.step.writes.count }
    mostWrites = most.flatMap { (1..<writes).contains($0) ? $0 : nil } ?? max(1, writes / 2)
    let pieces = batch.cut(writes: mostWrites)
    return cut(into: pieces.count > 1 ? pieces : batch.halves)
  }

  /// Writes one state down for all items of the last batch, which is over with that.
  mutating func conclude(_ state: JobItemState, isPaid: Bool) -> Action {
    let batch = queue.removeLast()
    if isPaid {
      successes += 1
      troubles = 0
      limits = 0
    }
    // What comes next of a record that the job itself has changed is not to be left alone for that.
    if state == .done { for write in batch.items.flatMap(\.step.writes) { census?.take(done: write) } }
    counts.move(batch.items.count, from: batch.counted, to: state.kind, points: batch.points)
    return .record(outcome(of: batch, state, isPaid: isPaid))
  }

  func outcome(of batch: JobBatch, _ state: JobItemState, isPaid: Bool) -> JobOutcome {
    JobOutcome(
      commit: batch.number, isPaid: isPaid,
      states: Dictionary(batch.items.map { ($0.position, state) }) { first, _ in first })
  }

  /// Marks the one step that is refused, or cuts in two to find it.
  mutating func isolate(_ refusal: String) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else { return fail(refusal) }
    return cut(into: batch.halves)
  }

  /// Gives the last batch back to the journal and goes on with its pieces.
  mutating func cut(into pieces: [JobBatch]) -> Action {
    let batch = queue.removeLast()
    for piece in pieces.reversed() { queue.append(countedAsPending(piece)) }
    return .record(outcome(of: batch, .pending, isPaid: false))
  }

  /// Counts what stood in doubt as pending, as the journal does from then on.
  mutating func countedAsPending(_ batch: JobBatch) -> JobBatch {
    var batch = batch
    counts.move(batch.items.count, from: batch.counted, to: .pending, points: batch.points)
    batch.counted = .pending
    return batch
  }

  mutating func fail(_ reason: String) -> Action {
    strikes += 1
    if successes == 0, strikes >= Self.mostStrikes {
      afterRecord = .stopped(
        JobStop(.refused, "the server refused the first \(strikes) steps, the last one so: \(reason)"))
    }
    return conclude(.failed(reason), isPaid: false)
  }

  /// Ends the run. What certainly was not written is given back; what is in doubt stays so.
  mutating func stop(_ stop: JobStop) -> Action {
    guard let batch = queue.last, batch.isBegun, !batch.wasInDoubt else { return .end(.stopped(stop)) }
    queue.removeLast()
    afterRecord = .stopped(stop)
    return .record(outcome(of: batch, .pending, isPaid: false))
  }
}

extension JobMachine {
  /// What to do about a server that did not do what was sent, or did not answer what was asked.
  mutating func failed(_ error: RepositoryError, whileSending: Bool, at now: Int64) -> Action {
    switch error.code {
    case .notAuthorized: stop(JobStop(.notAuthorized, error.detail))
    case .rateLimited: limited(error, at: now)
    case .refused: whileSending ? refused(error.detail) : refusedToTell(error.detail)
    case .taken: taken(error.detail)
    case .partial: partlyThere()
    case .tooLarge where whileSending: tooLarge(error)
    case .unavailable: rest(troubled(error.detail, at: now))
    default: whileSending ? doubted(error.detail, at: now) : troubled(error.detail, at: now)
    }
  }

  /// A record that is there already is refused too, by some servers; so is one that is to go and has gone (table of
  /// PDSes). Before a step is given up, and before a commit is cut that was sent before, the repository has the
  /// last word.
  private mutating func refused(_ reason: String) -> Action {
    guard let last = queue.indices.last else { return proceed() }
    let isAsked = queue[last].wasInDoubt || queue[last].items.count == 1
    guard isAsked, !queue[last].isCall else { return isolate(reason) }
    queue[last].question = .lastWord(refusal: reason)
    return proceed()
  }

  /// One record cannot be made under its key: its step fails, once it is found, and the others go on.
  private mutating func taken(_ reason: String) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else { return fail(reason) }
    return batch.wasInDoubt ? askByHalves(batch) : cut(into: batch.halves)
  }

  /// Some of the items went in an earlier commit that came late: they are done, and the others are found.
  ///
  /// A step goes in one commit: what is missing of a single one, somebody has removed since, unless it was refused
  /// and never in doubt.
  private mutating func partlyThere() -> Action {
    guard let batch = queue.last else { return proceed() }
    return batch.items.count > 1 ? askByHalves(batch) : settled(batch.wasInDoubt)
  }

  /// The repository says which half it is: sending is no way to ask, for some servers overwrite (table of PDSes).
  private mutating func askByHalves(_ batch: JobBatch) -> Action {
    var halves = batch.halves
    for index in halves.indices {
      halves[index].question = .outcome
      halves[index].number = takeNumber()
    }
    guard isGivingUp else { return cut(into: halves) }
    // What is not sent again stays in doubt until it is known; the points of the whole go with the first half.
    halves[0].number = batch.number
    return replaceLast(with: halves)
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

  private mutating func tooLarge(_ error: RepositoryError) -> Action {
    guard let batch = queue.last, batch.items.count > 1, !batch.wasInDoubt else {
      return refused(error.detail)
    }
    return shrink(to: error.mostWrites)
  }

  private mutating func limited(_ error: RepositoryError, at now: Int64) -> Action {
    limits += 1
    // A server that asks for no wait, again and again, gets one all the same.
    let wait = max(error.retryAfter ?? .seconds(60), Self.patience(after: limits))
    let until = now + wait.inMilliseconds * 1_000
    if stopsWhenShort { return stop(JobStop(.rateLimited, error.detail, until: until)) }
    return rest(.wait(until: until, .rateLimit))
  }

  private mutating func doubted(_ reason: String, at now: Int64) -> Action {
    if let last = queue.indices.last {
      queue[last].wasInDoubt = true
      queue[last].doubts += 1
      queue[last].question = queue[last].isCall ? nil : .outcome
    }
    return troubled(reason, at: now)
  }

  private mutating func troubled(_ reason: String, at now: Int64) -> Action {
    troubles += 1
    guard troubles <= Self.mostTroubles else { return stop(JobStop(.unavailable, reason)) }
    return .wait(until: now + Self.patience(after: troubles).inMilliseconds * 1_000, .trouble(reason))
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
  private static func patience(after failures: Int) -> Duration {
    .seconds(min(60, 1 << min(failures - 1, 6)))
  }
}
