// SPDX-License-Identifier: Apache-2.0

internal import Relationships

/// Items that go, or went, in one commit.
struct JobBatch: Sendable, Hashable {
  /// What the repository is to be asked before anything is sent.
  enum Question: Sendable, Hashable {
    /// Whether the commit happened whose answer was lost.
    case outcome
    /// Whether what the server refuses is there already, for this would be its reason to refuse it.
    case lastWord(refusal: String)
  }

  var items: [JobItem]
  /// The number of the commit, from when it is first to be begun.
  var number: Int?
  /// Whether it stands in the journal as in doubt, under its number.
  var isBegun = false
  /// As what its items are counted.
  var counted = JobItemState.Kind.pending
  /// What is to be asked before it is sent.
  var question: Question?
  /// Whether an answer to it was ever lost: then only the repository's word makes its outcome certain.
  var wasInDoubt = false
  /// How often its answer was lost in this run.
  var doubts = 0
  /// Whether the records were compared with what they are thought to be.
  var isChecked = false

  init(_ items: [JobItem]) {
    self.items = items
    wasInDoubt = items.contains(where: \.wasInDoubt)
  }

  /// A commit whose outcome is not known.
  ///
  /// - Parameter isChecked: whether the records were compared before it was begun.
  init(inDoubt commit: JobCommit, isChecked: Bool) {
    items = commit.items
    number = commit.number
    // A call is repeated instead: twice is the same as once.
    question = commit.call == nil ? .outcome : nil
    isBegun = true
    counted = .inDoubt
    wasInDoubt = true
    self.isChecked = isChecked
  }

  var points: Int { items.reduce(0) { $0 + $1.step.points } }

  var isCall: Bool { if case .call = items.first?.step.action { true } else { false } }

  /// Whether it puts something else in the place of what a record says.
  var changesRecords: Bool {
    items.contains { item in
      item.step.writes.contains { if case .update = $0.action { true } else { false } }
    }
  }

  /// Whether what it wants holds, where it does, without its doing: it was refused, it was never in doubt, and it
  /// only takes away. A record that it makes has a key that nobody else would choose.
  var isNotOurs: Bool {
    guard case .lastWord = question, !wasInDoubt else { return false }
    return items.allSatisfy { !$0.step.writes.contains(where: \.makesRecord) }
  }

  /// How many of the first items go in one commit: no more writes than that, none twice about one record; a call
  /// goes alone, and so does a step that is larger. What was never sent does not go along with what may still arrive:
  /// that somebody else has removed it would pass for its own doing.
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

  /// The items in batches of as many writes at most, in order.
  func cut(writes most: Int) -> [JobBatch] {
    var rest = items[...]
    var batches: [JobBatch] = []
    while !rest.isEmpty {
      let count = Self.fitting(rest, writes: most)
      batches.append(piece(Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return batches
  }

  /// The first half of the items and the second.
  var halves: [JobBatch] {
    let middle = items.count / 2
    return [piece(Array(items[..<middle])), piece(Array(items[middle...]))]
  }

  /// The first items that cost so many points at most, and the others.
  func split(points: Int) -> (first: JobBatch, rest: JobBatch)? {
    var sum = 0
    let count = items.prefix { item in
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
    // The keys stay, so that it does no harm if the whole happens after all.
    batch.wasInDoubt = wasInDoubt
    return batch
  }
}
