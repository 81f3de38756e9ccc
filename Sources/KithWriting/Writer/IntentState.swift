// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// What a ``RelationshipWriter`` stores for one subject: what is known, and what is wanted of it.
struct IntentState: Sendable {
  private var machine = IntentMachine()
  /// The facts as loaded, with later changes applied.
  private(set) var known = SubjectFacts()
  /// For each part, the time since which it may have changed, and the commit that was the latest then.
  private var dates: [SubjectFacts.Part: (time: Duration, commit: RepositoryCommit?)] = [:]
  /// Whether the facts were forgotten while a change was in flight: after it, only what it wanted would be known, not
  /// the records that the next change depends on.
  private var isStale = false
  /// The notes of the last change.
  private(set) var notes: [ChangeNote] = []
  /// Whether an earlier change that was in doubt has been settled as done.
  private(set) var wasResolved = false
  /// Why the last load or change failed.
  private(set) var failure: ChangeFailure?
  /// Records to be created, by collection: they keep their key until one is created.
  private var reserved: [NSID: RecordWrite] = [:]

  /// Whether nothing is wanted, loaded or changed.
  var isIdle: Bool { machine.isIdle }

  /// The state that is wanted; nil if nothing is wanted that does not hold.
  var desired: WantedState? { machine.desired }

  /// Whether there is an edge of a kind once everything is done; nil if that is not known.
  func expects(_ kind: EdgeKind) -> Bool? { desired?[kind] ?? known.edges[kind].map { !$0.isEmpty } }

  /// The time since which the oldest part may have changed; nil if nothing is known.
  var learnedAt: Duration? { dates.values.map(\.time).min() }

  /// The commit at or after which all parts were read; nil if there is none.
  var commit: RepositoryCommit? { dates.values.min { $0.time < $1.time }?.commit }

  /// The time since which a part may have changed; nil if it is not known.
  func readAt(_ part: SubjectFacts.Part) -> Duration? { dates[part]?.time }

  // MARK: What is wanted

  /// Adds an intent and its waiter.
  mutating func request(_ change: ChangeIntent, by waiter: IntentMachine.WaiterID) -> [IntentMachine.Action] {
    if isIdle { wasResolved = false }
    return machine.request(WantedState(change), by: waiter, knowing: known)
  }

  /// Merges loaded facts.
  ///
  /// - Parameters:
  ///   - moment: the time since which they may have changed.
  ///   - commit: the latest commit at that time; nil if the server does not name it.
  ///   - wasResolved: whether an earlier change that was in doubt has been settled as done.
  mutating func learned(
    _ facts: [SubjectFacts], at moment: Duration, _ commit: RepositoryCommit?, wasResolved: Bool
  ) -> [IntentMachine.Action] {
    for facts in facts {
      known.merge(facts)
      for part in facts.parts { dates[part] = (moment, commit) }
    }
    failure = nil
    self.wasResolved = wasResolved
    return machine.learned(knowing: known)
  }

  /// The facts could not be loaded.
  mutating func couldNotLearn(because failure: ChangeFailure) -> [IntentMachine.Action] {
    self.failure = failure
    return machine.couldNotLearn()
  }

  /// The server has carried out a plan.
  mutating func changed(by plan: PlannedChange) -> [IntentMachine.Action] {
    (failure, notes) = (nil, plan.notes)
    let writes = plan.steps.flatMap(\.writes)
    for write in writes where write.makesRecord { reserved[write.collection] = nil }
    known.apply(writes)
    for step in plan.steps {
      if case .call(let call, former: _) = step.action { known.apply(call) }
    }
    let endings = machine.changed(knowing: known)
    forgetIfStale()
    return endings + machine.next(knowing: known)
  }

  /// A plan was not carried out, or it is not known whether it was; then the facts have to be loaded again.
  mutating func failed(_ plan: PlannedChange, because failure: ChangeFailure) -> [IntentMachine.Action] {
    (self.failure, notes) = (failure, plan.notes)
    // If there were several commits, some may have taken effect.
    if failure.isInDoubt || plan.steps.count > 1 { forget() }
    let endings = machine.failed()
    forgetIfStale()
    return endings + machine.next(knowing: known)
  }

  // MARK: What is known

  /// Forgets parts that were loaded too long ago, unless something is in flight for the subject.
  mutating func forgetOld(at now: Duration, after memory: Duration) {
    guard isIdle else { return }
    for (part, date) in dates where now - date.time >= memory {
      known.forget(part)
      dates[part] = nil
    }
  }

  /// Forgets what lists do to the account, after a list was blocked, muted or deleted.
  mutating func forgetLists() {
    known.relationship = nil
    if known.mute?.list != nil || known.mute?.direct == .hidden {
      isStale = machine.changing != nil
      known.forget(.mutes)
      dates[.mutes] = nil
    }
  }

  /// Forgets all facts.
  mutating func forget() {
    isStale = machine.changing != nil
    known = SubjectFacts()
    dates = [:]
  }

  private mutating func forgetIfStale() {
    if isStale { forget() }
  }

  // MARK: Plans

  /// Returns the record to be created for an edge.
  mutating func reserve(_ edge: RecordEdge, _ planner: ChangePlanner) -> RecordWrite {
    reserve(in: edge.collection) { planner.create(edge) }
  }

  private mutating func reserve(in collection: NSID, _ make: () -> RecordWrite) -> RecordWrite {
    let write = reserved[collection] ?? make()
    reserved[collection] = write
    return write
  }

  /// Drops the reserved keys once nothing is wanted: a record created later is a different one.
  mutating func clearReservations() {
    if isIdle { reserved = [:] }
  }

  /// Plans changes of one subject together: their writes share a commit.
  mutating func plan(_ changes: [ChangeIntent], by planner: ChangePlanner) -> PlannedChange {
    var writes: [RecordWrite] = []
    var calls: [ChangeStep] = []
    var notes: [ChangeNote] = []
    for change in changes {
      var known = known
      // If there are several changes, each one handles only its own kind of record.
      if let ended = change.madeEdge?.kind.ended, changes.count > 1 { known.edges[ended] = [] }
      let plan = planner.plan(change, knowing: known)
      notes += plan.notes.filter { !notes.contains($0) }
      if case .refused = plan.outcome { return plan }
      for step in plan.steps {
        switch step.action {
        case .write(let more): writes += more
        case .call, .end, .decline: calls.append(step)
        }
      }
    }
    for index in writes.indices where writes[index].makesRecord {
      let write = writes[index]
      writes[index] = reserve(in: write.collection) { write }
    }
    guard let change = changes.first, let subject = change.subjects.first, !writes.isEmpty || !calls.isEmpty
    else { return PlannedChange(changes.first ?? .unfollow(planner.account), .holds, notes: notes) }
    let steps = ChangeStep.steps(subject, writes) + calls
    return PlannedChange(change, .steps(steps), notes: notes)
  }
}
