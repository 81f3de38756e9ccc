// SPDX-License-Identifier: Apache-2.0

/// What takes back each item of a job that is done, and each call in doubt, the last first; read in windows of places, so that little of
/// it is in memory.
struct JobReversals: AsyncSequence {
  let store: any JobStore
  let job: JobID
  /// How many items the job has.
  let total: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    let store: any JobStore
    let job: JobID
    var end: Int
    var ready: [JobItem] = []

    mutating func next() async throws -> JobItemDraft? {
      while true {
        if let item = ready.popLast() { return JobItemDraft(reversing: item) }
        guard end > 0 else { return nil }
        let start = Swift.max(0, end - JobDesk.itemsPerTransaction)
        let items = try await store.items(
          of: job, in: [.done, .inDoubt], after: start - 1, most: end - start)
        ready = items.filter { $0.position < end }
        end = start
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store: store, job: job, end: total) }
}

extension JobItemDraft {
  /// What takes an item back; where nothing does, the item itself, to be left alone.
  fileprivate init(reversing item: JobItem) {
    switch item.step.reversal {
    case .step(let step): self.init(input: item.input, step: step, origin: item.position)
    case .impossible(let reason):
      self.init(input: item.input, step: item.step, skipped: reason, origin: item.position)
    }
  }
}
