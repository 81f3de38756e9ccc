// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore
internal import KithRelationships
internal import KithWriting

/// Reads and writes the tables of jobs within a transaction.
struct JobTables {
  let database: Database

  /// Returns a job.
  func job(_ id: JobID) throws -> Job {
    guard let row = try Row.fetchOne(database, sql: JobStatements.one, arguments: ["job": id.number]) else {
      throw JobError.notFound(id)
    }
    return try Job(row)
  }

  /// Returns a job, or throws with the complaint if it is not in one of the states.
  func job(_ id: JobID, in states: Set<JobState>, _ complaint: String) throws -> Job {
    let job = try job(id)
    guard states.contains(job.state) else {
      throw JobError.wrongState(id, "job \(id) is \(job.state.rawValue): \(complaint)")
    }
    return job
  }

  /// Creates a job without items.
  func insert(_ draft: JobDraft, _ state: JobState, at now: Instant) throws -> Job {
    try database.execute(
      sql: JobStatements.insert,
      arguments: [
        "account": draft.account.description, "title": draft.title, "now": now.databaseValue,
        "state": state.rawValue, "until": draft.until?.instant.databaseValue, "undoes": draft.undoes?.number,
        "hour": draft.limit?.perHour, "day": draft.limit?.perDay, "leave": draft.limit?.leave,
        "changesPerHour": draft.limit?.changesPerHour, "changesPerDay": draft.limit?.changesPerDay,
      ])
    return try job(JobID(number: database.lastInsertedRowID))
  }

  /// Sets how much of the write budget a job may use.
  func set(_ limit: WriteLimit, of id: JobID) throws {
    try database.execute(
      sql: JobStatements.setLimit,
      arguments: [
        "job": id.number, "hour": limit.perHour, "day": limit.perDay, "leave": limit.leave,
        "changesPerHour": limit.changesPerHour, "changesPerDay": limit.changesPerDay,
      ])
  }

  /// Sets the state and the note; without a note, the previous one is removed.
  func setState(_ id: JobID, _ state: JobState, note: String? = nil, endedAt: Instant? = nil) throws {
    try database.execute(
      sql: JobStatements.setState,
      arguments: ["job": id.number, "state": state.rawValue, "ended": endedAt?.databaseValue, "note": note])
  }

  /// Counts the items of each job by state.
  func counts(of id: JobID? = nil) throws -> [Int64: JobCounts] {
    var counts: [Int64: JobCounts] = [:]
    for row in try Row.fetchAll(database, sql: JobStatements.counts, arguments: ["job": id?.number]) {
      guard let kind = JobItemState.Kind(rawValue: row["state"]) else { continue }
      counts[row["job"], default: JobCounts()].add(row["items"], kind, points: row["points"])
    }
    return counts
  }

  /// Returns the item count of a statement.
  func count(_ statement: String, of id: JobID) throws -> Int {
    try Int.fetchOne(database, sql: statement, arguments: ["job": id.number]) ?? 0
  }

  /// Appends items to a job.
  func append(_ items: [(draft: JobItemDraft, step: String)], to job: Job) throws {
    let id = job.id
    if let kinds = job.kinds {
      let all = ChangeKindText.text(of: kinds.union(items.map(\.draft).kinds))
      try database.execute(sql: JobStatements.setKinds, arguments: ["job": id.number, "kinds": all])
    }
    let last = try Int.fetchOne(database, sql: ItemStatements.last, arguments: ["job": id.number])
    let statement = try database.cachedStatement(sql: ItemStatements.insert)
    for (offset, item) in items.enumerated() {
      try statement.execute(arguments: [
        "job": id.number, "position": (last ?? -1) + 1 + offset, "input": item.draft.input, "step": item.step,
        "points": item.draft.step.points, "subject": item.draft.step.subject.description,
        "call": StepText.target(of: item.draft.step), "depends": item.draft.dependsOn,
        "origin": item.draft.origin, "reason": item.draft.skipped,
        "until": item.draft.end(in: job.until)?.instant.databaseValue,
        "state": (item.draft.skipped == nil ? JobItemState.Kind.pending : .skipped).rawValue,
      ])
    }
    try bind(Set(items.lazy.flatMap(\.draft.step.writes).flatMap(\.filesLetGo).map(\.ref)), to: id)
    guard items.contains(where: { $0.draft.until != nil }) else { return }
    try database.execute(sql: JobStatements.setEnd, arguments: ["job": id.number])
  }

  /// Notes which copies of files a job needs; a file without a copy is left out.
  func bind(_ files: Set<CID>, to job: JobID) throws {
    for file in files {
      try database.execute(
        sql: FileStatements.bind, arguments: ["job": job.number, "cid": file.description])
    }
  }

  /// Returns what jobs of the account have done to a subject, or are about to do.
  func history(of subject: ChangeStep.Subject, by account: DID) throws -> [JobHistoryEntry] {
    let statement = try database.cachedStatement(sql: ItemStatements.history)
    let rows = try Row.fetchAll(
      statement, arguments: ["subject": subject.description, "account": account.description])
    return try rows.map(JobHistoryEntry.init)
  }

  /// Returns what has an end or mutes a part, and no later job has undone.
  func standing(of account: DID?) throws -> [TimedChange] {
    var jobs: [JobID: Job] = [:]
    let rows = try Row.fetchAll(
      database, sql: ItemStatements.standingChanges, arguments: ["account": account?.description])
    return try rows.compactMap { row in
      // What cannot be read is reported where it is needed: when it is to be undone.
      guard let item = try? JobItem(row) else { return nil }
      let id = JobID(number: row["job"])
      let job = try jobs[id] ?? self.job(id)
      jobs[id] = job
      guard item.until != nil || item.step.mutesPart, try !isSuperseded(item, of: job),
        try !isRemoved(item, of: job)
      else { return nil }
      return TimedChange(job: job, item: item)
    }
  }

  /// Whether a later call replaced the call of an item.
  private func isSuperseded(_ item: JobItem, of job: Job) throws -> Bool {
    guard let call = StepText.target(of: item.step) else { return false }
    return try Bool.fetchOne(
      database, sql: ItemStatements.isSuperseded, arguments: ["job": job.id.number, "call": call]) ?? false
  }

  /// Whether a later job removed the record that an item made.
  private func isRemoved(_ item: JobItem, of job: Job) throws -> Bool {
    guard item.step.writes.contains(where: \.makesRecord) else { return false }
    return try history(of: item.step.subject, by: job.account).contains { later in
      later.order > job.order && later.state == .done && later.step.removes(whatWasMadeBy: item.step)
    }
  }

  /// Returns what other jobs of the account have in doubt among the records that a commit claims, by place,
  /// and whether they have done some of it since a revision of the journal.
  func rivals(
    of commit: JobCommit, in job: Job, since revision: Int64, at now: Instant
  ) throws -> (inDoubt: [Int: JobID], haveDone: Bool) {
    let statement = try database.cachedStatement(sql: ItemStatements.rivals)
    var (inDoubt, haveDone): ([Int: JobID], Bool) = ([:], false)
    let rivalsOfLists = try rivalsOfLists(of: commit, in: job, since: revision, at: now)
    for item in commit.items where !item.step.writes.isEmpty {
      let rows = try Row.fetchAll(
        statement,
        arguments: [
          "subject": item.step.subject.description, "account": job.account.description,
          "job": job.id.number, "revision": revision,
        ])
      for rival in try rows.map(JobHistoryEntry.init) + rivalsOfLists where rival.step.isRival(of: item.step)
      {
        if rival.state == .inDoubt { inDoubt[item.position] = rival.job } else { haveDone = true }
      }
    }
    return (inDoubt, haveDone)
  }

  /// Much longer than facts are used.
  private static let recent = Duration.seconds(3_600)

  /// Returns what other jobs of the account have in doubt, or have done since a revision, that is about lists that a
  /// commit deletes or adds members to. Its subjects are other ones.
  private func rivalsOfLists(
    of commit: JobCommit, in job: Job, since revision: Int64, at now: Instant
  ) throws -> [JobHistoryEntry] {
    let lists = commit.items.reduce(into: Set<RecordKey>()) { all, item in
      all.formUnion(item.step.listsJoined.union(item.step.listsDeleted))
    }
    let statement = try database.cachedStatement(sql: ItemStatements.rivalsOfList)
    return try lists.flatMap { list in
      let rows = try Row.fetchAll(
        statement,
        arguments: [
          "list": list.description, "account": job.account.description, "job": job.id.number,
          "revision": revision, "recent": (now - Self.recent).databaseValue,
        ])
      return try rows.map(JobHistoryEntry.init)
    }
  }

  /// Returns the items of a commit that were withdrawn, and those that are to be undone before they were sent.
  func lost(
    of commit: JobCommit, in job: JobID, at now: Instant
  ) throws -> (withdrawn: Set<Int>, expired: Set<Int>) {
    let statement = try database.cachedStatement(sql: ItemStatements.standing)
    var (withdrawn, expired): (Set<Int>, Set<Int>) = ([], [])
    for item in commit.items {
      let row = try Row.fetchOne(
        statement, arguments: ["job": job.number, "position": item.position, "now": now.databaseValue])
      if row?["is_cancelled"] == true { withdrawn.insert(item.position) }
      if row?["is_late"] == true { expired.insert(item.position) }
    }
    return (withdrawn, expired)
  }

  /// Cancels pending items, and returns the positions of those that were pending.
  func withdraw(_ items: Set<Int>, of job: JobID) throws -> Set<Int> {
    let statement = try database.cachedStatement(sql: ItemStatements.withdraw)
    return try items.filter { position in
      try statement.execute(arguments: ["job": job.number, "position": position])
      return database.changesCount == 1
    }
  }

  /// Marks the items of a commit as in doubt.
  func begin(_ commit: JobCommit, of job: Job) throws {
    let begin = try database.cachedStatement(sql: ItemStatements.begin)
    for item in commit.items {
      try begin.execute(arguments: ["job": job.id.number, "position": item.position, "commit": commit.number])
      guard database.changesCount == 1 else {
        throw JobError.journal(job.id, "item \(item.position) of job \(job.id) has changed unexpectedly")
      }
      if let request = item.step.settles { try settle(request, of: job, by: item.position) }
    }
    try set(Dictionary(commit.items.map { ($0.position, $0.step) }) { first, _ in first }, of: job.id)
  }

  private func settle(_ request: RecordVersion, of job: Job, by position: Int) throws {
    try database.execute(
      sql: SettledStatements.begin,
      arguments: [
        "account": job.account.description, "request": request.uri.description,
        "cid": request.cid.description, "job": job.id.number, "position": position,
      ])
  }

  /// Returns the settled requests of an account; those that cannot be read are left out.
  func settledRequests(of account: DID) throws -> Set<RecordVersion> {
    let rows = try Row.fetchAll(
      database, sql: SettledStatements.all, arguments: ["account": account.description])
    return Set(
      rows.compactMap { row in
        guard let uri = ATURI(row["request"] as String), let cid = CID(row["cid"] as String) else {
          return nil
        }
        return RecordVersion(uri: uri, cid: cid)
      })
  }

  /// Remembers requests that nothing is left to do about.
  func settle(_ requests: Set<RecordVersion>, of account: DID) throws {
    for request in requests {
      try database.execute(
        sql: SettledStatements.settle,
        arguments: [
          "account": account.description, "request": request.uri.description,
          "cid": request.cid.description,
        ])
    }
  }

  /// Stores steps as they are sent, or as they were done.
  func set(_ steps: [Int: ChangeStep], of job: JobID) throws {
    let setStep = try database.cachedStatement(sql: ItemStatements.setStep)
    for (position, step) in steps {
      try setStep.execute(arguments: [
        "job": job.number, "position": position, "step": try StepText.text(of: step), "points": step.points,
      ])
    }
  }

  /// Gives items the ends that the pending items of a job want; returns the new states of those.
  func moveEnds(of job: JobID) throws -> [Int: JobItemState] {
    var states: [Int: JobItemState] = [:]
    let setEnd = try database.cachedStatement(sql: ItemStatements.setEnd)
    let rows = try Row.fetchAll(database, sql: ItemStatements.endChanges, arguments: ["job": job.number])
    for row in rows {
      let step = try StepText.step(row["step"], about: row["subject"])
      if step.decline != nil { states[row["position"]] = .done }
      guard let change = step.end else { continue }
      try setEnd.execute(arguments: [
        "job": change.job.number, "position": change.position,
        "until": change.until?.instant.databaseValue, "former": change.former?.instant.databaseValue,
      ])
      let hasMoved = database.changesCount == 1
      if hasMoved { try database.execute(sql: JobStatements.setEnd, arguments: ["job": change.job.number]) }
      states[row["position"]] = hasMoved ? .done : .endChanged
    }
    return states
  }

  /// Sets new states of items.
  ///
  /// - Parameter keepsDoubt: Whether the response about items that are pending again, or failed, was lost. If not, the
  ///   requests that they act on are open again.
  func record(_ states: [Int: JobItemState], of id: JobID, keepsDoubt: Bool) throws {
    if states.values.contains(.done) { try database.execute(sql: JournalStatements.advance) }
    let setState = try database.cachedStatement(sql: ItemStatements.setState)
    let undoOrigin = try database.cachedStatement(sql: ItemStatements.undoOrigin)
    let open = try database.cachedStatement(sql: SettledStatements.open)
    var ended: [StatementArguments] = []
    for (position, state) in states {
      try setState.execute(arguments: [
        "job": id.number, "position": position, "state": state.kind.rawValue, "reason": state.reason,
        "doubt": keepsDoubt,
      ])
      guard database.changesCount == 1 else { continue }
      let place: StatementArguments = ["job": id.number, "position": position]
      if state == .done || state.kind == .skipped { ended.append(place) }
      if !keepsDoubt, [.failed, .pending, .cancelled].contains(state.kind) {
        try open.execute(arguments: place)
      }
    }
    // Several items may reverse the same one, so all of their states are stored first.
    for place in ended { try undoOrigin.execute(arguments: place) }
  }
}
