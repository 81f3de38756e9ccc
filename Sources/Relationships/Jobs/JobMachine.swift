// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

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
    case check([JobItem], RecordCensus)
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
    case surveyed(RecordCensus)
    /// What may be done of each item that was to be checked, by position.
    case checked([Int: StepCheck])
    /// The journal's answer to a commit.
    case began(JobBeginning)
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
  var census: RecordCensus?
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

  private mutating func began(_ beginning: JobBeginning, at now: Int64) -> Action {
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
