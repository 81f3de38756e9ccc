// SPDX-License-Identifier: Apache-2.0

/// What is done about records that others may have changed since the job was planned.
extension JobMachine {
  /// Compares the next batch with what the repository holds, where that is still to be done.
  mutating func compare() -> Action? {
    guard comparesRecords, let batch = queue.last, !batch.isChecked else { return nil }
    guard let census else { return .survey }
    if job.undoes != nil { return .check(batch.items, census) }
    let checks = batch.items.map { item in
      (item.position, StepCheck(resuming: item.step, beside: census, wasInDoubt: batch.wasInDoubt))
    }
    return checked(Dictionary(checks) { first, _ in first })
  }

  /// Goes on with what may be done of the next batch, and tells what is left alone.
  mutating func checked(_ checks: [Int: StepCheck]) -> Action {
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
