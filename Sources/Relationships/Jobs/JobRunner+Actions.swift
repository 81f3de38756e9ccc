// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

extension JobRunner {
  /// While it waits, a run looks this often whether somebody paused or cancelled the job.
  private static let glance: Duration = .seconds(30)
  /// Records that are read at once.
  private static let readsAtOnce = 8

  /// Does what the machine decided, and says what came of it.
  ///
  /// - Throws: what the store throws.
  func perform(_ action: JobMachine.Action, of job: Job) async throws -> JobMachine.Event {
    switch action {
    case .load(let position):
      if Task.isCancelled { return .interrupted }
      let most = JobMachine.itemsPerLoad
      return .loaded(try await store.items(of: job.id, in: [.pending], after: position, most: most))
    case .begin(let commit):
      if Task.isCancelled { return .interrupted }
      let now = time.microsecondsSinceEpoch
      return .began(try await store.begin(commit, of: job.id, within: options.allowance, at: now))
    case .check(let items): return try await check(items, of: job)
    case .send(let commit): return await send(commit)
    case .settle(let commit):
      return await answer { .settled(try await repository.settle(commit.writes)) }
    case .record(let outcome):
      try await store.record(outcome, of: job.id)
      return .recorded
    case .wait(let until, _): return try await wait(until: until, of: job)
    case .end: return .recorded
    }
  }

  private func send(_ commit: JobCommit) async -> JobMachine.Event {
    await answer {
      if let call = commit.call {
        try await repository.call(call)
      } else {
        try await repository.commit(commit.writes)
      }
      return .sent
    }
  }

  /// What came of speaking to the repository. A failure of another kind than those that are certain is a doubt.
  private func answer(_ speak: () async throws -> JobMachine.Event) async -> JobMachine.Event {
    do {
      return try await speak()
    } catch let error as RepositoryError {
      return .failed(error)
    } catch is CancellationError {
      return .interrupted
    } catch {
      return .failed(RepositoryError(.inDoubt, detail: "\(error)", underlying: error))
    }
  }

  private func wait(until moment: Int64, of job: Job) async throws -> JobMachine.Event {
    while true {
      let left = Duration.microseconds(moment - time.microsecondsSinceEpoch)
      guard left > .zero else { return .waited }
      do {
        try await time.sleep(for: min(left, Self.glance))
      } catch {
        return .interrupted
      }
      let state = try await store.job(job.id).state
      if state != job.state { return .halted(state) }
    }
  }

  private func check(_ items: [JobItem], of job: Job) async throws -> JobMachine.Event {
    var checks: [Int: UndoCheck] = [:]
    var rest = items[...]
    while !rest.isEmpty {
      let group = rest.prefix(Self.readsAtOnce)
      rest = rest.dropFirst(group.count)
      do {
        let found = try await withThrowingTaskGroup(of: (Int, UndoCheck).self) { tasks in
          for item in group { tasks.addTask { (item.position, try await check(item, of: job)) } }
          return try await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        checks.merge(found) { $1 }
      } catch let error as RepositoryError {
        return .failed(error)
      } catch is CancellationError {
        return .interrupted
      }
    }
    return .checked(checks)
  }

  private func check(_ item: JobItem, of job: Job) async throws -> UndoCheck {
    guard case .write(let writes) = item.step.action else {
      let isSuperseded = try await store.isSuperseded(item, of: job.id)
      return isSuperseded ? .leave("a later job changed it") : .proceed(item.step)
    }
    var present: [DataValue?] = []
    for write in writes { present.append(try await repository.record(write.rkey, in: write.collection)) }
    return UndoCheck(item.step, present: present)
  }
}
