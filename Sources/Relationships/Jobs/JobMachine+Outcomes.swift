// SPDX-License-Identifier: Apache-2.0

extension JobMachine {
  /// What to do now that the repository has said whether a commit has happened.
  mutating func settled(_ hasHappened: Bool) -> Action {
    guard let last = queue.indices.last else { return proceed() }
    if hasHappened {
      return queue[last].isNotOurs
        ? conclude(.skipped(LeftAlone.wasGone.description), isPaid: false) : conclude(.done, isPaid: true)
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
