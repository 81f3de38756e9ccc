// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// What a ``RelationshipWriter`` keeps of one subject.
struct IntentState: Sendable {
  var machine = IntentMachine()
  /// What was learned, and what has been changed since.
  var known = SubjectFacts()
  var learnedAt: Duration?
  /// What the last change said about itself.
  var notes: [ChangeNote] = []
  /// Why the last learning or change failed.
  var failure: ChangeFailure?
  /// Records that are to be made, by their collection: the same, under the same key, until one is made.
  private var reserved: [NSID: RecordWrite] = [:]
  private var isInDoubt = false

  /// Whether nothing is lost when it is forgotten: a record in doubt is to be repeated under its key.
  var mayBeForgotten: Bool { machine.isIdle && !isInDoubt }

  func isOld(at now: Duration, after memory: Duration) -> Bool {
    learnedAt.map { now - $0 >= memory } ?? false
  }

  mutating func forget() {
    machine.forget()
    known = SubjectFacts()
    learnedAt = nil
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
    for facts in facts { known.merge(facts) }
    learnedAt = moment
    failure = nil
    // One that was in doubt and has turned up is not to be made any more.
    let keys = [known.follows, known.blocks, known.listBlocks].flatMap { ($0 ?? []).map(\.rkey) }
    reserved = reserved.filter { !keys.contains($0.value.rkey) }
    if reserved.isEmpty { isInDoubt = false }
  }

  /// Nothing is wished any more: a record that is certainly not there is made anew the next time.
  mutating func rest() {
    if machine.isIdle, !isInDoubt { reserved = [:] }
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
    let steps = ChangeStep.steps(changes.first?.account, writes) + calls
    guard let change = changes.first, !steps.isEmpty else {
      return PlannedChange(changes.first ?? .unfollow(planner.account), .holds, notes: notes)
    }
    return PlannedChange(change, .steps(steps), notes: notes)
  }

  /// The server has made it so.
  mutating func succeeded(_ plan: PlannedChange) {
    isInDoubt = false
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

  /// The server has not made it so, or may have.
  mutating func failed(isInDoubt: Bool) {
    self.isInDoubt = isInDoubt
    if isInDoubt {
      known = SubjectFacts()
      learnedAt = nil
    } else {
      reserved = [:]
    }
  }
}
