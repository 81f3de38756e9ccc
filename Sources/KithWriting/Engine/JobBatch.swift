// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// Items that go, or went, in one commit.
struct JobBatch: Sendable, Hashable {
  /// What to ask the repository before anything is sent.
  enum Question: Sendable, Hashable {
    /// Whether a commit whose answer was lost took effect.
    case outcome
    /// Whether the desired state already holds, which would explain why the server refused it.
    case lastWord(refusal: String)
  }

  var items: [JobItem]
  /// The number of the commit, assigned when it is first begun.
  var number: Int?
  /// Whether the journal has it as in doubt, under its number.
  var isBegun = false
  /// The state as which its items are counted.
  var counted = JobItemState.Kind.pending
  /// What to ask before it is sent.
  var question: Question?
  /// Whether an answer to it was ever lost. If so, only the repository can settle its outcome.
  var wasInDoubt = false
  /// How often its answer was lost in this run.
  var doubts = 0
  /// Whether the records were compared with what they are expected to be.
  var isChecked = false

  init(_ items: [JobItem]) {
    self.items = items
    wasInDoubt = items.contains(where: \.wasInDoubt)
  }

  /// Creates a batch for a commit whose outcome is unknown.
  ///
  /// - Parameter isChecked: whether the records were compared before it was begun.
  init(inDoubt commit: JobCommit, isChecked: Bool) {
    items = commit.items
    number = commit.number
    // A call is idempotent and is repeated instead.
    question = commit.call == nil ? .outcome : nil
    isBegun = true
    counted = .inDoubt
    wasInDoubt = true
    self.isChecked = isChecked
  }

  var points: Int { items.reduce(0) { $0 + $1.step.points } }

  var isCall: Bool { if case .call = items.first?.step.action { true } else { false } }

  /// Whether it does harm if others have made changes meanwhile: it overwrites the content of a record, or deletes
  /// a list, to which they may have added members.
  var harmsIfOutdated: Bool {
    items.lazy.flatMap(\.step.writes).contains { write in
      switch write.action {
      case .update: true
      case .delete: write.collection == .list
      case .create: false
      }
    }
  }

  /// Whether the desired state, if it holds, is not the result of this batch: it was refused, it was never in
  /// doubt, and it only deletes. (The keys of created records are unique to it.)
  var isNotOurs: Bool {
    guard case .lastWord = question, !wasInDoubt else { return false }
    return items.allSatisfy { !$0.step.writes.contains(where: \.makesRecord) }
  }

  /// Returns the steps in which records have other keys than planned, by position, with those keys.
  func steps(under keys: [RecordName: RecordKey]) -> [Int: ChangeStep] {
    var steps: [Int: ChangeStep] = [:]
    for item in items where item.step.writes.contains(where: { keys[$0.name] != nil }) {
      let writes = item.step.writes.map { write in
        RecordWrite(collection: write.collection, rkey: keys[write.name] ?? write.rkey, action: write.action)
      }
      steps[item.position] = item.step.writing(writes)
    }
    return steps
  }

  /// Returns how many of the first items fit in one commit: at most this many writes, and only one write per
  /// record. A call goes alone, and so does a step that is larger. An item that was never sent is not
  /// combined with one that may still arrive: a record removed by others would be taken for the item's own
  /// work.
  static func fitting(_ items: some Collection<JobItem>, writes most: Int) -> Int {
    var count = 0
    var writes = 0
    var records: Set<RecordName> = []
    for item in items {
      if case .call = item.step.action { return max(count, 1) }
      if item.wasInDoubt != items.first?.wasInDoubt { return count }
      writes += item.step.writes.count
      guard count == 0 || writes <= most else { return count }
      for write in item.step.writes {
        let isNew = records.insert(write.name).inserted
        guard count == 0 || isNew else { return count }
      }
      count += 1
    }
    return count
  }

  /// Splits the items, in order, into batches of at most this many writes.
  func cut(writes most: Int) -> [JobBatch] {
    var remaining = items[...]
    var batches: [JobBatch] = []
    while !remaining.isEmpty {
      let count = Self.fitting(remaining, writes: most)
      batches.append(piece(Array(remaining.prefix(count))))
      remaining = remaining.dropFirst(count)
    }
    return batches
  }

  /// The first and the second half of the items.
  var halves: [JobBatch] {
    let middle = items.count / 2
    return [piece(Array(items[..<middle])), piece(Array(items[middle...]))]
  }

  /// Splits off the first items, at most this many, that cost at most this many points.
  func split(points: Int, changes: Int) -> (first: JobBatch, remaining: JobBatch)? {
    var sum = 0
    let count = items.prefix(changes).prefix { item in
      sum += item.step.points
      return sum <= points
    }.count
    guard count > 0, count < items.count else { return nil }
    return (piece(Array(items[..<count])), piece(Array(items[count...])))
  }

  private func piece(_ items: [JobItem]) -> JobBatch {
    var batch = JobBatch(items)
    batch.isChecked = isChecked
    batch.counted = counted
    // The keys stay the same, so it does no harm if the original commit takes effect after all.
    batch.wasInDoubt = wasInDoubt
    return batch
  }
}
