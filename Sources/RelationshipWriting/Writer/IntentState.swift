// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// What a ``RelationshipWriter`` keeps of one subject.
struct IntentState: Sendable {
  var machine = IntentMachine()
  /// What was learned, and what has been changed since.
  var known = SubjectFacts()
  /// From when on each part of it can have changed.
  private var dates: [SubjectFacts.Parts: Duration] = [:]
  /// What the last change said about itself.
  var notes: [ChangeNote] = []
  /// Whether an earlier change of the same that was in doubt has turned out to be done, or was done by now.
  var isSettled = false
  /// Why the last learning or change failed.
  var failure: ChangeFailure?
  /// Records that are to be made, by their collection: the same, under the same key, until one is made.
  private var reserved: [NSID: RecordWrite] = [:]

  /// From when on the oldest part of what is known can have changed; nil where nothing is known.
  var learnedAt: Duration? { dates.values.min() }

  /// Forgets each part that was learned too long ago, unless something about the subject is under way.
  mutating func forgetOld(at now: Duration, after memory: Duration) {
    guard machine.isIdle else { return }
    for (part, date) in dates where now - date >= memory {
      known.forget(part)
      machine.forget(part)
      dates[part] = nil
    }
  }

  /// A list was blocked or muted, or is no more: what lists do to the account is not known any more.
  mutating func forgetLists() {
    known.relationship = nil
    if known.mute?.list != nil || known.mute?.direct == .hidden {
      known.forget(.mutes)
      machine.forget(.mutes)
      dates[.mutes] = nil
    }
  }

  /// Forgets all that was learned.
  mutating func forget() {
    machine.forget()
    known = SubjectFacts()
    dates = [:]
  }

  /// The record that is to be made of an edge.
  mutating func reserve(_ collection: NSID, _ subject: DID, _ planner: ChangePlanner) -> RecordWrite {
    reserve(in: collection) { planner.create(collection, subject) }
  }

  private mutating func reserve(in collection: NSID, _ make: () -> RecordWrite) -> RecordWrite {
    let write = reserved[collection] ?? make()
    reserved[collection] = write
    return write
  }

  /// Takes over what was learned.
  ///
  /// - Parameter moment: from when on it can have changed.
  mutating func learned(_ facts: [SubjectFacts], at moment: Duration) {
    for facts in facts {
      known.merge(facts)
      for part in facts.parts { dates[part] = moment }
    }
    failure = nil
  }

  /// Nothing is wished any more: a record that is made later is another one.
  mutating func rest() {
    if machine.isIdle { reserved = [:] }
  }

  /// What changes of one subject take together: their writes go in one commit.
  mutating func plan(_ changes: [ChangeIntent], by planner: ChangePlanner) -> PlannedChange {
    var writes: [RecordWrite] = []
    var calls: [ChangeStep] = []
    var notes: [ChangeNote] = []
    for change in changes {
      var known = known
      // Of several changes each answers for its own kind of record.
      if case .block = change, changes.count > 1 { known.follows = [] }
      let plan = planner.plan(change, knowing: known)
      notes += plan.notes.filter { !notes.contains($0) }
      if case .refused = plan.outcome { return plan }
      for step in plan.steps {
        switch step.action {
        case .write(let more): writes += more
        case .call: calls.append(step)
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

  /// The server has made it so.
  mutating func succeeded(_ plan: PlannedChange) {
    for step in plan.steps {
      switch step.action {
      case .write(let writes):
        for write in writes {
          if write.makesRecord { reserved[write.collection] = nil }
          known.take(write)
        }
      case .call(let call, former: _): known.take(call)
      }
    }
  }
}
