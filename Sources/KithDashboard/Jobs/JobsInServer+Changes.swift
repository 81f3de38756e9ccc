// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

/// How a change that a page waits for has gone.
enum ChangeAnswer: Sendable {
  /// It ended; its rows say what became of it.
  case ended(rows: [ChangeRow], ChangeRunOutcome)
  /// It has to be confirmed first.
  case asks(Question)
  /// Its job goes on by itself, but not soon.
  case waits(JobID, until: Datetime, JobWait)
}

extension JobsInServer {
  /// Plans a change and journals the plan, which waits for a yes to exactly that.
  ///
  /// - Parameters:
  ///   - lifetime: after which time it is undone; nil for never.
  ///   - most: the most rows that are kept.
  func propose(
    _ source: some ChangeSource, for lifetime: Duration? = nil, in workspace: Workspace, keeping most: Int
  ) async throws -> GatheredRun<ChangeRow, ChangeRunOutcome> {
    var change = Change(source)
    change.mode = .propose
    change.lifetime = lifetime
    let run = try await GatheredRun(change, in: workspace, most: most, endingThere: false)
    events.publish(DashboardEvent(.jobs))
    return run
  }

  /// How long a page waits with a job that waits: the first tries after a failure are closer together.
  private static let patience = Duration.seconds(3)

  /// Makes a change, which goes on when the page is closed, and waits for its end, or until it has to wait for long.
  ///
  /// - Throws: what the operation throws before it has begun.
  func carryOut(
    _ source: some ChangeSource, for lifetime: Duration? = nil, confirmed isConfirmed: Bool,
    in workspace: Workspace
  ) async throws -> ChangeAnswer {
    var change = Change(source)
    change.lifetime = lifetime
    return try await firstAnswer { [change, memory] answer in
      let remembered = RememberedJob(memory)
      defer { remembered.end() }
      let rows = PosixMutex<[ChangeRow]>([])
      let reporter = Reporter<ChangeRow>(
        rows: { more in rows.withLock { $0 += more } },
        progress: { progress in
          guard case .job(let progress) = progress else { return }
          remembered.reach(progress.job)
          guard let wait = progress.wait, let until = progress.waitsUntil,
            until.instant > workspace.time.instant + Self.patience
          else { return }
          answer(.waits(progress.job, until: until, wait))
        },
        ask: { question in
          if !isConfirmed { answer(.asks(question)) }
          return isConfirmed
        })
      let outcome = try await workspace.run(change, reporter).outcome
      answer(.ended(rows: rows.withLock(\.self), outcome))
    }
  }
}
