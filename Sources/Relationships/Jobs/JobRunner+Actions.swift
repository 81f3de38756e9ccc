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
    case .survey: return try await survey(job)
    case .check(let items, let census): return try await check(items, of: job, beside: census)
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

  /// Lists each collection once; keeps in memory only what the items are about that are left.
  private func survey(_ job: Job) async throws -> JobMachine.Event {
    var census = RecordCensus()
    var updates: [RecordWrite] = []
    var position: Int?
    repeat {
      let most = JobMachine.itemsPerLoad
      let items = try await store.items(of: job.id, in: [.pending, .inDoubt], after: position, most: most)
      // What an undo takes away is looked at record by record.
      for write in items.flatMap(\.step.writes) where job.undoes == nil || write.makesRecord {
        census.ask(about: write)
        if case .update = write.action, job.undoes == nil { updates.append(write) }
      }
      position = items.last?.position
    } while position != nil
    let (asked, changing) = (census, updates)
    return await answer {
      var census = asked
      let values = try await changing.concurrentMap(atMost: Self.readsAtOnce) {
        try await repository.record($0.rkey, in: $0.collection)
      }
      for (write, value) in zip(changing, values) { census.take(value, of: write) }
      for collection in census.collections {
        try await repository.list(collection) { census.take($0, $1, in: collection) }
      }
      return .surveyed(census)
    }
  }

  private func check(
    _ items: [JobItem], of job: Job, beside census: RecordCensus
  ) async throws -> JobMachine.Event {
    do {
      let checks = try await items.concurrentMap(atMost: Self.readsAtOnce) {
        (position: $0.position, check: try await check($0, of: job, beside: census))
      }
      return .checked(checks.reduce(into: [:]) { $0[$1.position] = $1.check })
    } catch let error as RepositoryError {
      return .failed(error)
    } catch is CancellationError {
      return .interrupted
    }
  }

  private func check(
    _ item: JobItem, of job: Job, beside census: RecordCensus
  ) async throws -> StepCheck {
    guard case .write(let writes) = item.step.action else {
      let isSuperseded = try await store.isSuperseded(item, of: job.id)
      return isSuperseded ? .leave(.changedByLaterJob) : .proceed(item.step)
    }
    var present: [DataValue?] = []
    for write in writes { present.append(try await repository.record(write.rkey, in: write.collection)) }
    return StepCheck(item.step, present: present, beside: census)
  }
}
