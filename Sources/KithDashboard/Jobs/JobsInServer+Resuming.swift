// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

extension JobsInServer {
  /// Continues the jobs that a server was running when it ended, unless another process runs them.
  func resume(in workspace: Workspace) async {
    guard let memory, case let numbers = memory.unfinished, !numbers.isEmpty,
      let jobs = try? await GatheredRun(ListJobs(all: true), in: workspace, most: .max).rows
    else { return }
    for number in numbers {
      guard let row = jobs.first(where: { $0.job.id.number == number }), !row.job.state.isEnded else {
        memory.ended(JobID(number: number))
        continue
      }
      guard row.summary.holder == nil else { continue }
      let account = workspace.acting(as: .did(row.job.account))
      // What is in the way, such as a session that has ended, stays said on the page of the job.
      _ = try? await carryOut(JobOrder(row.job.id, .resume), in: account)
    }
  }
}

/// A job that runs here, as long as its operation runs.
final class RememberedJob: Sendable {
  private let memory: DashboardMemory?
  private let job = PosixMutex<JobID?>(nil)

  init(_ memory: DashboardMemory?) { self.memory = memory }

  /// The operation has begun to run a job.
  func reach(_ reached: JobID) {
    let isNew = job.withLock { job in
      defer { job = reached }
      return job != reached
    }
    if isNew { memory?.began(reached) }
  }

  /// The operation has ended. What ends with the server is continued by the next one.
  func end() {
    if !Task.isCancelled, let job = job.withLock(\.self) { memory?.ended(job) }
  }
}
