// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// A journal that lasts as long as the process: for apps whose changes need not survive it, and for tests.
///
/// Keeps the last thousand ended jobs, and all others.
package final class InMemoryJobStore: JobStore {
  private let state = PosixMutex(State())

  /// Creates an empty journal.
  package init() {}

  // MARK: Points

  package func budget(
    of account: DID, within limit: WriteLimit, counting kinds: Set<ChangeKind>?, at now: Instant
  ) async throws -> WriteBudget {
    state.withLock { $0.budget(of: account, within: limit, counting: kinds, at: now) }
  }

  package func observed(_ rateLimit: RateLimit, of account: DID, at now: Instant) async throws {
    guard let reading = WriteBudgetReading(rateLimit, at: now) else { return }
    state.withLock { $0.readings[account, default: [:]][reading.window] = reading }
  }

  // MARK: Servers

  package func serverChoosingKeys(of account: DID) async throws -> String? {
    state.withLock { $0.serversChoosingKeys[account] }
  }

  package func note(serverChoosingKeys server: String?, of account: DID) async throws {
    state.withLock { $0.serversChoosingKeys[account] = server }
  }

  // MARK: Adding jobs

  package func create(
    _ draft: JobDraft, _ items: [JobItemDraft], isWhole: Bool, at now: Instant
  ) async throws -> Job {
    state.withLock { $0.create(draft, items, isWhole: isWhole, at: now) }
  }

  package func append(_ items: [JobItemDraft], to job: JobID) async throws {
    try change(job) { entry in
      try entry.require([.preparing], "no items can be added")
      entry.append(items)
    }
  }

  package func seal(_ job: JobID) async throws -> Job {
    try change(job) { entry in
      try entry.require([.preparing], "it is complete already")
      entry.job.state = .waiting
      return entry.job
    }
  }

  // MARK: Proposals

  package func propose(
    _ draft: JobDraft, _ proposal: JobProposal, _ requests: [ProposedRequest], at now: Instant
  ) async throws -> Job {
    state.withLock { $0.propose(draft, proposal, requests, at: now) }
  }

  package func proposals() async throws -> [Job] {
    state.withLock { state in
      state.entries.values.map(\.job).filter { $0.state == .proposed }.sorted { $0.id < $1.id }
    }
  }

  package func requests(of job: JobID, after count: Int, most: Int) async throws -> [ProposedRequest] {
    state.withLock { Array(($0.entries[job]?.requests ?? []).dropFirst(count).prefix(most)) }
  }

  package func approve(
    _ job: JobID, _ items: [JobItemDraft], until: Datetime?, limit: WriteLimit?, at now: Instant
  ) async throws -> Job {
    try state.withLock { try $0.approve(job, items, until: until, limit: limit, at: now) }
  }

  package func reject(_ job: JobID, note: String?, at now: Instant) async throws -> Job {
    try change(job) { entry in
      guard entry.job.state == .proposed else { throw JobError.notProposed(entry.job) }
      (entry.job.state, entry.job.note, entry.job.endedAt) = (.cancelled, note, Datetime(at: now))
      return entry.job
    }
  }

  package func remove(_ job: JobID) async throws {
    try state.withLock { state in
      try state.entry(job).require([.preparing, .done, .cancelled], "cancel it first")
      state.forget([job])
    }
  }

  // MARK: Looking up

  package func job(_ job: JobID) async throws -> Job { try state.withLock { try $0.entry(job).job } }

  package func jobs(endedAfter moment: Instant) async throws -> [Job] {
    state.withLock { state in
      state.entries.values.map(\.job).filter { job in
        ![.preparing, .proposed].contains(job.state) && job.endedAt.map { $0.instant > moment } ?? true
      }.sorted { $0.id < $1.id }
    }
  }

  package func preparing() async throws -> [Job] {
    state.withLock { state in
      state.entries.values.map(\.job).filter { $0.state == .preparing }.sorted { $0.id < $1.id }
    }
  }

  package func summaries(of account: DID?) async throws -> [JobSummary] {
    state.withLock { state in
      state.entries.values.filter { account == nil || $0.job.account == account }.map(state.summary)
        .sorted { $0.job.id < $1.job.id }
    }
  }

  package func summary(of job: JobID) async throws -> JobSummary {
    try state.withLock { $0.summary(try $0.entry(job)) }
  }

  package func items(
    of job: JobID, in kinds: Set<JobItemState.Kind>, after position: Int?, most: Int
  ) async throws -> [JobItem] {
    state.withLock { state in
      let entry = state.entries[job]
      let later = entry?.items.dropFirst((position ?? -1) + 1) ?? []
      return later.lazy.filter { kinds.contains($0.state.kind) }.prefix(most).map { item in
        entry?.showing(item) ?? item
      }
    }
  }

  package func undo(of job: JobID) async throws -> Job? {
    state.withLock { state in
      state.entries.values.map(\.job).filter { $0.undoes == job && !$0.state.isEnded }.max { $0.id < $1.id }
    }
  }

  package func isSuperseded(_ item: JobItem, of job: JobID) async throws -> Bool {
    try state.withLock { try $0.isSuperseded(item, of: $0.entry(job).job) }
  }

  package func history(
    of subjects: [ChangeStep.Subject], by account: DID
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]] {
    state.withLock { $0.history(of: Set(subjects), by: account) }
  }

  package func settledRequests(of account: DID) async throws -> Set<RecordVersion> {
    state.withLock { Set($0.settled[account, default: [:]].keys) }
  }

  package func settle(_ requests: Set<RecordVersion>, of account: DID) async throws {
    state.withLock { state in
      for request in requests { state.settled[account, default: [:]].updateValue(nil, forKey: request) }
    }
  }

  package func revision() async throws -> Int64 { state.withLock(\.revision) }

  package func due(at now: Instant) async throws -> [DueJob] { state.withLock { $0.due(at: now) } }

  // MARK: What makes no job, and files

  /// The most bytes of copies.
  private static let mostFileBytes = 32 << 20

  package func remember(_ change: LastChange, by account: DID?, at now: Instant) async throws {
    state.withLock { $0.remember(change, by: account, at: now) }
  }

  package func lastChange(by account: DID) async throws -> RememberedChange? {
    state.withLock { $0.remembered.last { $0.account == nil || $0.account == account } }
  }

  package func keep(_ bytes: [UInt8], as file: CID, at now: Instant) async throws -> Bool {
    state.withLock { $0.keep(bytes, as: file, atMost: Self.mostFileBytes, at: now) }
  }

  package func keptFiles(among files: Set<CID>) async throws -> Set<CID> {
    state.withLock { files.intersection($0.files.keys) }
  }

  package func file(_ file: CID) async throws -> [UInt8]? { state.withLock { $0.files[file]?.bytes } }

  // MARK: Ends after a restore

  package func endsHeldSince() async throws -> Instant? { state.withLock(\.endsHeldSince) }

  package func holdEnds(since moment: Instant) async throws { state.withLock { $0.endsHeldSince = moment } }

  package func releaseEnds() async throws { state.withLock { $0.endsHeldSince = nil } }

  // MARK: Leases

  private final class Lease: JobLease {
    private let give: @Sendable () -> Void

    init(_ give: @escaping @Sendable () -> Void) { self.give = give }

    deinit { give() }

    func release() { give() }
  }

  package func leasePlanning(of account: DID, at now: Instant) async throws -> any JobLease {
    let number = state.withLock { $0.lease(.planning(account)) }
    guard let number else { throw JobError.planning(by: nil) }
    return Lease { [state] in state.withLock { $0.release(.planning(account), number) } }
  }

  package func lease(_ job: JobID, at now: Instant) async throws -> any JobLease {
    let number = try state.withLock { state in
      _ = try state.entry(job)
      return state.lease(.job(job))
    }
    guard let number else { throw JobError.held(job, by: nil) }
    return Lease { [state] in state.withLock { $0.release(.job(job), number) } }
  }

  // MARK: Running

  package func start(_ job: JobID, limit: WriteLimit?) async throws -> Job {
    try change(job) { entry in
      try entry.require(
        [.waiting, .running, .paused, .cancelled],
        entry.job.state == .proposed ? "approve it first" : "nothing to run")
      if entry.job.state == .cancelled {
        guard entry.counts[.inDoubt] > 0 else {
          throw JobError.wrongState(job, "job \(job) is cancelled: nothing to run")
        }
      } else {
        (entry.job.state, entry.job.note) = (.running, nil)
      }
      if let limit { entry.job.limit = limit }
      return entry.job
    }
  }

  package func begin(
    _ commit: JobCommit, of job: JobID, within limit: WriteLimit, asOf revision: Int64, at now: Instant
  ) async throws -> CommitReservation {
    try state.withLock { try $0.begin(commit, of: job, within: limit, asOf: revision, at: now) }
  }

  @discardableResult
  package func record(_ outcome: JobOutcome, of job: JobID, at now: Instant) async throws -> JobState {
    try state.withLock { try $0.record(outcome, of: job, at: now) }
  }

  package func stop(_ job: JobID, as final: JobState, note: String?, at now: Instant) async throws {
    try change(job) { entry in
      // If the job was paused or cancelled meanwhile, that wins.
      guard entry.job.state == .running || entry.job.state == .waiting else { return }
      let isFinished = entry.counts.left == 0
      entry.job.state = isFinished ? .done : final == .done ? .waiting : final
      entry.job.note = isFinished ? nil : note
      entry.job.endedAt = entry.job.state.isEnded ? Datetime(at: now) : nil
    }
  }

  package func pause(_ job: JobID) async throws -> Job {
    try change(job) { entry in
      try entry.require([.waiting, .running, .paused], "nothing to pause")
      (entry.job.state, entry.job.note) = (.paused, nil)
      return entry.job
    }
  }

  package func cancel(_ job: JobID, at now: Instant) async throws -> Job {
    try change(job) { entry in
      try entry.require(
        [.preparing, .waiting, .running, .paused],
        entry.job.state == .proposed ? "reject it instead" : "nothing to cancel")
      for index in entry.items.indices where entry.items[index].state == .pending {
        entry.items[index].state = .cancelled
      }
      (entry.job.state, entry.job.note) = (.cancelled, nil)
      entry.job.endedAt = Datetime(at: now)
      return entry.job
    }
  }

  package func withdraw(_ items: Set<Int>, of job: JobID, at now: Instant) async throws -> Set<Int> {
    try change(job) { entry in
      let pending = items.filter { entry.items.indices.contains($0) && entry.items[$0].state == .pending }
      for position in pending { entry.items[position].state = .cancelled }
      if !pending.isEmpty, !entry.job.state.isEnded, entry.job.state != .preparing, entry.counts.left == 0 {
        (entry.job.state, entry.job.note) = (.done, nil)
        entry.job.endedAt = Datetime(at: now)
      }
      return pending
    }
  }

  package func retryFailed(_ job: JobID) async throws -> Int {
    try change(job) { entry in
      try entry.require(
        [.waiting, .paused, .done], "failed items can be retried only while it is waiting, paused or done")
      let failed = entry.items.indices.filter { entry.items[$0].state.kind == .failed }
      for index in failed { entry.items[index].state = .pending }
      if !failed.isEmpty { (entry.job.state, entry.job.note, entry.job.endedAt) = (.waiting, nil, nil) }
      return failed.count
    }
  }

  package func standing(of account: DID?) async throws -> [TimedChange] {
    state.withLock { $0.standing(of: account) }
  }

  package func moveEnds(of job: JobID, at now: Instant) async throws -> [Int: JobItemState] {
    try state.withLock { state in
      var states: [Int: JobItemState] = [:]
      for item in try state.entry(job).items where item.state == .pending {
        if item.step.decline != nil { states[item.position] = .done }
        if let change = item.step.end { states[item.position] = state.move(change) ? .done : .endChanged }
      }
      if !states.isEmpty { _ = try state.record(JobOutcome(states: states), of: job, at: now) }
      return states
    }
  }

  package func forget(_ account: DID) async throws -> [JobID] { state.withLock { $0.forget(account) } }

  package func prune(endedBefore moment: Instant) async throws -> [JobID] {
    state.withLock { $0.prune(endedBefore: moment) }
  }

  private func change<Value: Sendable>(
    _ job: JobID, _ body: (inout Entry) throws -> Value
  ) throws -> Value {
    try state.withLock { state in
      var entry = try state.entry(job)
      let value = try body(&entry)
      state.entries[job] = entry
      return value
    }
  }
}

// MARK: - State

extension InMemoryJobStore {
  private struct Entry: Sendable {
    var job: Job
    var items: [JobItem] = []
    /// The journal's revision at which each item was done.
    var revisions: [Int: Int64] = [:]
    /// What is proposed.
    var requests: [ProposedRequest] = []
    /// The files that a proposal needs.
    var files: Set<CID> = []

    var counts: JobCounts {
      items.reduce(into: JobCounts()) { $0.add(1, $1.state.kind, points: $1.step.points) }
    }

    func require(_ states: Set<JobState>, _ complaint: String) throws {
      guard states.contains(job.state) else {
        throw JobError.wrongState(job.id, "job \(job.id) is \(job.state.rawValue): \(complaint)")
      }
    }

    mutating func append(_ drafts: [JobItemDraft]) {
      job.kinds?.formUnion(drafts.kinds)
      for draft in drafts {
        items.append(
          JobItem(
            position: items.count, input: draft.input, step: draft.step,
            state: draft.skipped.map(JobItemState.skipped) ?? .pending, origin: draft.origin,
            until: draft.end(in: job.until),
            dependency: draft.dependsOn.map { JobItem.Dependency(position: $0, state: .pending) }))
      }
      if drafts.contains(where: { $0.until != nil }) { job.until = lastEnd }
    }

    /// When the last of its items ends.
    var lastEnd: Datetime? { items.compactMap(\.until).max { $0.instant < $1.instant } }

    /// Returns the positions of the items of a commit that are now of a kind.
    func positions(of commit: JobCommit, where isWanted: (JobItem) -> Bool) -> Set<Int> {
      Set(commit.items.map(\.position).filter { items.indices.contains($0) && isWanted(items[$0]) })
    }

    /// Returns the origins, among some, whose last reversal has ended and of which at least one did something: several
    /// items may reverse the same one.
    func reversed(among origins: Set<Int>) -> Set<Int> {
      if origins.isEmpty { return [] }
      var (done, open): (Set<Int>, Set<Int>) = ([], [])
      for item in items {
        guard let origin = item.origin, origins.contains(origin) else { continue }
        if item.state == .done { done.insert(origin) }
        if [.pending, .inDoubt, .failed, .cancelled].contains(item.state.kind) { open.insert(origin) }
      }
      return done.subtracting(open)
    }

    /// Returns an item with the current state of its dependency.
    func showing(_ item: JobItem) -> JobItem {
      guard let position = item.dependency?.position, items.indices.contains(position) else { return item }
      var item = item
      item.dependency?.state = items[position].state.kind
      return item
    }
  }

  private enum LeaseName: Hashable {
    case planning(DID)
    case job(JobID)
  }

  private struct Spend: Sendable {
    let account: DID
    var spend: WriteBudgetSpend
    /// When it was first found in the future.
    var noticed: Instant?
    /// The commit that it is set aside for, while that is in flight.
    var commit: CommitName?
  }

  private struct ItemName: Sendable, Hashable {
    let job: JobID
    let position: Int
  }

  private struct CommitName: Sendable, Hashable {
    let job: JobID
    let number: Int
  }

  private struct State: Sendable {
    var entries: [JobID: Entry] = [:]
    var readings: [DID: [WriteBudgetWindow: WriteBudgetReading]] = [:]
    var serversChoosingKeys: [DID: String] = [:]
    var revision: Int64 = 0
    var endsHeldSince: Instant?
    /// Settled requests, with the items that settle them; nil for those that need none.
    var settled: [DID: [RecordVersion: ItemName?]] = [:]
    /// The last changes that made no job, the latest at the end; one for each account.
    var remembered: [RememberedChange] = []
    /// Copies of files, and when they were kept.
    var files: [CID: (bytes: [UInt8], at: Instant)] = [:]
    private var spends: [Spend] = []
    private var lastJob: Int64 = 0
    private var leases: [LeaseName: Int] = [:]
    private var leasesSoFar = 0

    /// With more ended jobs than this, the oldest are forgotten.
    private static let mostEnded = 1_000

    func entry(_ job: JobID) throws -> Entry {
      guard let entry = entries[job] else { throw JobError.notFound(job) }
      return entry
    }

    func summary(_ entry: Entry) -> JobSummary { JobSummary(job: entry.job, counts: entry.counts) }

    mutating func create(
      _ draft: JobDraft, _ items: [JobItemDraft], isWhole: Bool, at now: Instant
    ) -> Job {
      lastJob += 1
      let id = JobID(number: lastJob)
      var entry = Entry(
        job: Job(
          id: id, account: draft.account, title: draft.title, state: isWhole ? .waiting : .preparing,
          createdAt: Datetime(at: now), until: draft.until, limit: draft.limit, kinds: [],
          undoes: draft.undoes))
      entry.append(items)
      entries[id] = entry
      forgetOldest()
      return entry.job
    }

    mutating func propose(
      _ draft: JobDraft, _ proposal: JobProposal, _ requests: [ProposedRequest], at now: Instant
    ) -> Job {
      var entry = Entry(job: create(draft, [], isWhole: true, at: now))
      entry.job.state = .proposed
      entry.job.proposal = proposal
      entry.requests = requests
      let needed = requests.lazy.flatMap(\.steps).flatMap(\.writes).flatMap(\.filesNeeded).map(\.ref)
      entry.files = Set(needed).intersection(files.keys)
      entries[entry.job.id] = entry
      return entry.job
    }

    mutating func approve(
      _ id: JobID, _ items: [JobItemDraft], until: Datetime?, limit: WriteLimit?, at now: Instant
    ) throws -> Job {
      var entry = try entry(id)
      guard entry.job.state == .proposed else { throw JobError.notProposed(entry.job) }
      lastJob += 1
      entry.job.approvedAs = JobID(number: lastJob)
      entry.job.state = items.isEmpty ? .done : .waiting
      entry.job.endedAt = items.isEmpty ? Datetime(at: now) : nil
      entry.job.until = until
      if let limit { entry.job.limit = limit }
      entry.requests = []
      entry.append(items)
      entries[id] = entry
      return entry.job
    }

    private mutating func forgetOldest() {
      guard entries.count > 2 * Self.mostEnded else { return }
      let ended = entries.values.filter {
        $0.job.state.isEnded && isPrunable($0, endedBefore: .distantFuture)
      }
      forget(ended.sorted { $0.job.id < $1.job.id }.dropLast(Self.mostEnded).map(\.job.id))
    }

    /// Removes jobs, and the copies of files that no other job needs. If the last change of an account was one of them,
    /// that is remembered.
    mutating func forget(_ jobs: [JobID]) {
      for id in jobs {
        guard let entry = entries.removeValue(forKey: id) else { continue }
        let letGo = entry.items.flatMap(\.step.writes).flatMap(\.filesLetGo).map(\.ref)
        for file in entry.files.union(letGo) where !isNeeded(file) { files[file] = nil }
        let job = entry.job
        let isLast = !entries.values.map(\.job).contains { other in
          other.account == job.account && other.order > job.order && other.undoes == nil
            && !other.isUnapproved
        }
        let last = remembered.last { $0.account == nil || $0.account == job.account }
        if isLast, job.undoes == nil, job.state != .preparing, !job.isUnapproved,
          last.map({ $0.newestJob < job.order }) ?? true
        {
          remember(LastChange(job.title, .done, job: id), by: job.account, at: job.createdAt.instant)
        }
      }
    }

    mutating func forget(_ account: DID) -> [JobID] {
      let jobs = entries.values.map(\.job).filter { $0.account == account }.map(\.id).sorted()
      forget(jobs)
      remembered.removeAll { $0.account == account }
      spends.removeAll { $0.account == account }
      (readings[account], settled[account], serversChoosingKeys[account]) = (nil, nil, nil)
      return jobs
    }

    private func isNeeded(_ file: CID) -> Bool {
      entries.values.contains { entry in
        entry.files.contains(file)
          || entry.items.contains { item in
            item.step.writes.contains { $0.filesLetGo.contains { $0.ref == file } }
          }
      }
    }

    mutating func remember(_ change: LastChange, by account: DID?, at now: Instant) {
      remembered.removeAll { $0.account == account }
      remembered.append(
        RememberedChange(
          change, at: Datetime(at: now), by: account, newestJob: JobID(number: lastJob)))
    }

    mutating func keep(_ bytes: [UInt8], as file: CID, atMost most: Int, at now: Instant) -> Bool {
      let recent = (now - .days(1))...(now + .days(1))
      for (other, copy) in files where !recent.contains(copy.at) && !isNeeded(other) { files[other] = nil }
      let others = files.reduce(0) { $0 + ($1.key == file ? 0 : $1.value.bytes.count) }
      guard others + bytes.count <= most else { return false }
      files[file] = (bytes, now)
      return true
    }

    mutating func lease(_ name: LeaseName) -> Int? {
      guard leases[name] == nil else { return nil }
      leasesSoFar += 1
      leases[name] = leasesSoFar
      return leasesSoFar
    }

    mutating func release(_ name: LeaseName, _ number: Int) {
      if leases[name] == number { leases[name] = nil }
    }

    // MARK: Points

    func budget(
      of account: DID, within limit: WriteLimit, counting kinds: Set<ChangeKind>?, at now: Instant,
      without commit: CommitName? = nil
    ) -> WriteBudget {
      let start = now - WriteBudgetWindow.day.length
      let counted = spends.filter {
        $0.account == account && $0.spend.at > start && (commit == nil || $0.commit != commit)
      }
      return WriteBudget(
        limit: limit,
        spends: counted.map { counted in
          var spend = counted.spend
          spend.at = WriteBudgetSpend.moment(of: spend.at, noticed: counted.noticed, at: now)
          return spend
        }, readings: Array(readings[account, default: [:]].values), counting: kinds)
    }

    /// Notes which spends of an account lie in the future, because the clock was set back.
    private mutating func notice(_ account: DID, at now: Instant) {
      for index in spends.indices where spends[index].account == account && spends[index].spend.at > now {
        spends[index].noticed = min(spends[index].noticed ?? now, now)
      }
    }

    private mutating func spend(_ commit: JobCommit, of account: DID, for name: CommitName, at now: Instant) {
      let start = now - WriteBudgetWindow.day.length
      spends.removeAll { $0.commit == name }
      let older = spends.dropLast(WriteBudgetSpend.mostKept)
      spends = older.filter { $0.commit != nil || $0.spend.at > start } + spends.dropFirst(older.count)
      spends.append(
        Spend(
          account: account,
          spend: WriteBudgetSpend(
            at: now, points: commit.points, changes: commit.changes, kinds: commit.kinds, isOpen: true),
          commit: name))
    }

    private mutating func settle(_ commit: CommitName, isPaid: Bool) {
      guard let index = spends.firstIndex(where: { $0.commit == commit }) else { return }
      if isPaid {
        spends[index].commit = nil
        spends[index].spend.isOpen = false
      } else {
        spends.remove(at: index)
      }
    }

    // MARK: Running

    mutating func begin(
      _ commit: JobCommit, of id: JobID, within limit: WriteLimit, asOf known: Int64, at now: Instant
    ) throws -> CommitReservation {
      var entry = try entry(id)
      guard entry.job.state == .running || entry.job.state == .waiting else {
        return .halted(entry.job.state)
      }
      let withdrawn = entry.positions(of: commit) { $0.state == .cancelled }
      if !withdrawn.isEmpty { return .withdrawn(withdrawn) }
      let expired = entry.positions(of: commit) { $0.isTooLate(at: now) }
      if !expired.isEmpty { return .expired(expired) }
      let rivals = rivals(of: commit, in: entry.job, since: known)
      if !rivals.inDoubt.isEmpty { return .contended(rivals.inDoubt) }
      if rivals.haveDone { return .outdated }
      let name = CommitName(job: id, number: commit.number)
      notice(entry.job.account, at: now)
      let budget = budget(
        of: entry.job.account, within: limit, counting: entry.job.kinds, at: now, without: name)
      if let short = budget.shortage(for: commit, at: now) { return short }
      for item in commit.items {
        let state = entry.items[item.position].state
        guard state == .pending || state == .inDoubt(commit: commit.number) else {
          throw JobError.journal(id, "item \(item.position) of job \(id) has changed under its runner")
        }
        entry.items[item.position].state = .inDoubt(commit: commit.number)
        entry.items[item.position].step = item.step
        if let request = item.step.settles, settled[entry.job.account]?[request] == nil {
          settled[entry.job.account, default: [:]][request] = ItemName(job: id, position: item.position)
        }
      }
      spend(commit, of: entry.job.account, for: name, at: now)
      (entry.job.state, entry.job.note) = (.running, nil)
      entries[id] = entry
      return .begun
    }

    /// Finds conflicts with other jobs of the account: claims that they have in doubt, and whether they have
    /// done some.
    private func rivals(
      of commit: JobCommit, in job: Job, since known: Int64
    ) -> (inDoubt: [Int: JobID], haveDone: Bool) {
      var (inDoubt, haveDone): ([Int: JobID], Bool) = ([:], false)
      let claiming = commit.items.filter { !$0.step.rivalries.isEmpty || !$0.step.listsJoined.isEmpty }
      guard !claiming.isEmpty else { return (inDoubt, haveDone) }
      for other in entries.values where other.job.account == job.account && other.job.id != job.id {
        for theirs in other.items {
          let isInDoubt = theirs.state.kind == .inDoubt
          let isNews = theirs.state == .done && other.revisions[theirs.position, default: 0] > known
          guard isInDoubt || isNews && !haveDone else { continue }
          let own = claiming.filter { $0.step.isRival(of: theirs.step) }
          if isInDoubt {
            for item in own { inDoubt[item.position] = other.job.id }
          } else if !own.isEmpty {
            haveDone = true
          }
        }
      }
      return (inDoubt, haveDone)
    }

    mutating func record(_ outcome: JobOutcome, of id: JobID, at now: Instant) throws -> JobState {
      var entry = try entry(id)
      if outcome.states.values.contains(.done) { revision += 1 }
      for (position, state) in outcome.states where entry.items[position].state != .cancelled {
        // An item cancelled while its commit was in flight does not become pending again.
        let isGivenUp = state == .pending && entry.job.state == .cancelled
        entry.items[position].state = isGivenUp ? .cancelled : state
        if outcome.keepsDoubt { entry.items[position].wasInDoubt = true }
        if let step = outcome.steps[position] { entry.items[position].step = step }
        let isOpen = [.failed, .pending, .cancelled].contains(entry.items[position].state.kind)
        if isOpen, !outcome.keepsDoubt, let request = entry.items[position].step.settles,
          settled[entry.job.account]?[request] == ItemName(job: id, position: position)
        {
          settled[entry.job.account]?.removeValue(forKey: request)
        }
        if state == .done { entry.revisions[position] = revision }
      }
      if let undone = entry.job.undoes {
        let ended = outcome.states.filter { $0.value == .done || $0.value.kind == .skipped }
        let origins = Set(ended.keys.compactMap { entry.items[$0].origin })
        for origin in entry.reversed(among: origins) { undo(origin, of: undone) }
      }
      if let number = outcome.commit { settle(CommitName(job: id, number: number), isPaid: outcome.isPaid) }
      if entry.job.state == .running || entry.job.state == .waiting, entry.counts.left == 0 {
        entry.job.state = .done
        entry.job.endedAt = Datetime(at: now)
      }
      entries[id] = entry
      return entry.job.state
    }

    /// Gives an item another end, if it has the former one and is not undone.
    mutating func move(_ change: EndChange) -> Bool {
      guard let entry = entries[change.job], entry.items.indices.contains(change.position) else {
        return false
      }
      let item = entry.items[change.position]
      guard [.pending, .inDoubt, .done].contains(item.state.kind), item.until == change.former else {
        return false
      }
      var changed = entry
      changed.items[change.position].until = change.until
      changed.job.until = changed.lastEnd
      entries[change.job] = changed
      return true
    }

    private mutating func undo(_ position: Int, of job: JobID) {
      guard let state = entries[job]?.items[position].state, state == .done || state.kind == .inDoubt else {
        return
      }
      entries[job]?.items[position].state = .undone
    }

    // MARK: Looking up

    func history(
      of subjects: Set<ChangeStep.Subject>, by account: DID
    ) -> [ChangeStep.Subject: [JobHistoryEntry]] {
      var history: [ChangeStep.Subject: [JobHistoryEntry]] = [:]
      let jobs = entries.values.filter { $0.job.account == account && $0.job.state != .preparing }
      for entry in jobs.sorted(by: { $0.job.order < $1.job.order }) {
        for item in entry.items where subjects.contains(item.step.subject) {
          guard [.pending, .inDoubt, .done].contains(item.state.kind) else { continue }
          history[item.step.subject, default: []].append(
            JobHistoryEntry(
              job: entry.job.id, position: item.position, until: item.until, state: item.state.kind,
              step: item.step, wasInDoubt: item.wasInDoubt, revision: entry.revisions[item.position] ?? 0,
              order: entry.job.order))
        }
      }
      return history
    }

    func isSuperseded(_ item: JobItem, of job: Job) -> Bool {
      guard case .call(let call, _) = item.step.action else { return false }
      func order(of job: JobID) -> JobID { entries[job]?.job.order ?? job }
      let base = order(of: job.undoes ?? job.id)
      return entries.values.contains { other in
        other.job.order > base && other.job.id != job.id && other.job.account == job.account
          && other.job.undoes.map { order(of: $0) < base } ?? true
          && other.items.contains { $0.state == .done && $0.step.call?.target == call.target }
      }
    }

    func standing(of account: DID?) -> [TimedChange] {
      var found: [TimedChange] = []
      for entry in entries.values where entry.job.state != .preparing {
        guard account.map({ $0 == entry.job.account }) ?? true else { continue }
        let left = left(by: entry)
        for item in entry.items where item.until != nil || item.step.mutesPart {
          guard [.pending, .inDoubt, .done].contains(item.state.kind), !left.contains(item.position),
            !isSuperseded(item, of: entry.job), !isRemoved(item, of: entry.job)
          else { continue }
          found.append(TimedChange(job: entry.job, item: entry.showing(item)))
        }
      }
      return found.sorted { one, other in
        let ends = [one, other].map { $0.until?.instant ?? .distantFuture }
        return (ends[0], one.job.id, one.item.position) < (ends[1], other.job.id, other.item.position)
      }
    }

    /// Whether a later job removed what the item made.
    private func isRemoved(_ item: JobItem, of job: Job) -> Bool {
      entries.values.contains { other in
        other.job.account == job.account && other.job.order > job.order
          && other.items.contains { $0.state == .done && $0.step.removes(whatWasMadeBy: item.step) }
      }
    }

    /// The positions of what undos of a job have left alone.
    private func left(by entry: Entry) -> Set<Int> {
      Set(
        entries.values.filter { $0.job.undoes == entry.job.id }.flatMap { undo in
          undo.items.filter { $0.state.kind == .skipped || $0.state.kind == .failed }.compactMap(\.origin)
        })
    }

    /// Whether anything that the job did, and that has expired, is still in effect, except what an undo of it
    /// has skipped or failed.
    private func standing(_ entry: Entry, at now: Instant) -> Bool {
      let tried = left(by: entry)
      return entry.items.contains { item in
        guard let until = item.until, until.instant <= now else { return false }
        return item.state == .done && !tried.contains(item.position)
      }
    }

    func due(at now: Instant) -> [DueJob] {
      let due = entries.values.filter { entry in
        guard entry.job.state != .preparing else { return false }
        let isLeft = entry.items.contains { item in
          guard let until = item.until, until.instant <= now else { return false }
          return item.state == .pending || item.state.kind == .inDoubt
        }
        return isLeft || standing(entry, at: now)
      }
      func end(_ entry: Entry) -> Instant {
        entry.items.compactMap(\.until).map(\.instant).min() ?? .distantFuture
      }
      return due.sorted { (end($0), $0.job.id) < (end($1), $1.job.id) }.map { entry in
        let undo = entries.values.map(\.job).filter {
          $0.undoes == entry.job.id && $0.state != .preparing && !$0.state.isEnded
        }
        return DueJob(job: entry.job, undo: undo.map(\.id).max())
      }
    }

    // MARK: Pruning

    mutating func prune(endedBefore moment: Instant) -> [JobID] {
      var gone: [JobID] = []
      for id in entries.keys.sorted() {
        guard let entry = entries[id], isPrunable(entry, endedBefore: moment), leases[.job(id)] == nil else {
          continue
        }
        let undos = entries.values.map(\.job.id).filter { entries[$0]?.job.undoes == id }
        guard !undos.contains(where: { leases[.job($0)] != nil }) else { continue }
        forget(undos + [id])
        gone += undos + [id]
      }
      return gone.sorted()
    }

    private func isOver(_ entry: Entry, before moment: Instant) -> Bool {
      let end =
        switch entry.job.state {
        case .preparing: entry.job.createdAt
        case .proposed: entry.job.proposal?.expiresAt
        default: entry.job.endedAt
        }
      return (end?.instant ?? .distantFuture) < moment && entry.counts[.inDoubt] == 0
    }

    private func isPrunable(_ entry: Entry, endedBefore moment: Instant) -> Bool {
      let job = entry.job
      guard isOver(entry, before: moment), !standing(entry, at: .distantFuture) else { return false }
      // Nothing else remembers what was declined.
      if entry.items.contains(where: { $0.state == .done && $0.step.decline != nil }) { return false }
      if let undone = job.undoes.flatMap({ entries[$0] }), undone.job.until != nil { return false }
      guard entries.values.allSatisfy({ $0.job.undoes != job.id || isOver($0, before: moment) }) else {
        return false
      }
      return !supersedesTimed(entry)
    }

    /// Whether a call of the job replaced one of a timed job, which must not be undone any longer.
    private func supersedesTimed(_ entry: Entry) -> Bool {
      let targets = Set(entry.items.filter { $0.state == .done }.compactMap(\.step.call?.target))
      guard !targets.isEmpty else { return false }
      return entries.values.contains { other in
        other.job.order < entry.job.order && other.job.account == entry.job.account
          && other.items.contains { item in
            guard item.state == .done, item.until != nil, let target = item.step.call?.target else {
              return false
            }
            return targets.contains(target)
          }
      }
    }
  }
}
