// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

extension JobManager {
  /// Returns the jobs of an account that need its session, oldest first: those that have not ended, may have sent
  /// something whose outcome is unknown, or made changes that are to end later. A job that is only proposed is none of them.
  ///
  /// - Throws: what the journal throws.
  public func unfinished(of account: DID) async throws -> [JobID] {
    // In the distant future, every timed job is due.
    let timed = Set(try await journal.due(at: .distantFuture).map(\.job.id))
    return try await journal.summaries(of: account).filter { $0.isUnfinished || timed.contains($0.job.id) }
      .map(\.job.id)
  }

  /// Removes everything that the journal has about an account: its jobs, which can no longer be undone, its last change, and
  /// the points that it has spent.
  ///
  /// - Parameter abandonsUnfinished: whether unfinished jobs are removed as well. What they have done stays done, the rest
  ///   is never done, and what they made for a time stays.
  /// - Throws: ``JobError`` `wrongState` that names an unfinished job, with nothing removed; `held` while another process
  ///   plans or runs changes of the account; what the journal throws.
  public func forget(_ account: DID, abandoningUnfinished abandonsUnfinished: Bool = false) async throws {
    let leases = try await claim(account, abandoningUnfinished: abandonsUnfinished)
    defer { for lease in leases { lease.release() } }
    try await journal.forget(account)
  }

  /// Takes the leases under which an account can be forgotten: nothing is planned, undone or run for it meanwhile.
  ///
  /// - Throws: as ``forget(_:abandoningUnfinished:)``.
  func claim(_ account: DID, abandoningUnfinished abandonsUnfinished: Bool) async throws -> [any JobLease] {
    let now = time.instant
    var leases = [try await journal.leasePlanning(of: account, at: now)]
    do {
      let unfinished = try await unfinished(of: account)
      if let first = unfinished.first, !abandonsUnfinished {
        let all = unfinished.map(\.description).joined(separator: ", ")
        throw JobError(.wrongState, first, "not finished: \(all); finish or abandon these jobs first")
      }
      for job in unfinished { leases.append(try await journal.lease(job, at: now)) }
      return leases
    } catch {
      for lease in leases { lease.release() }
      throw error
    }
  }
}

extension JobSummary {
  /// Whether items are still to be sent or checked. A job that was never fully recorded, or is only proposed, has none.
  package var isUnfinished: Bool {
    counts[.inDoubt] > 0 || !job.state.isEnded && ![.preparing, .proposed].contains(job.state)
  }
}
