// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
package import KithWriting

extension Workspace {
  /// The first accounts or lists of a job that its row names.
  private static let namedTargets = 2
  /// Items that are looked at for them: several may be about one account.
  private static let mostLooked = 8

  /// Rows of jobs, with the handles and first targets that are known without a call.
  package func rows(_ summaries: [JobSummary], in store: any JobStore) async throws -> [JobRow] {
    let accounts = Set(summaries.map(\.job.account))
    var handles: [DID: Handle] = [:]
    let sessions = try sessions().store
    let known = try await names().views(of: accounts, asking: false)
    for account in accounts {
      // The session has ended, but the name is known.
      handles[account] = (try? await sessions.session(of: account))?.handle ?? known[account]?.handle
    }
    let due = Set(try await store.due(at: time.instant).map(\.job.id))
    var ends: [JobID: Datetime] = [:]
    for change in try await store.standing(of: nil) {
      guard let until = change.until else { continue }
      // The last of them.
      ends[change.job.id] = [ends[change.job.id], until].compactMap(\.self).max { $0.instant < $1.instant }
    }
    var rows: [JobRow] = []
    for summary in summaries {
      // Items that cannot be read are reported where they are needed.
      let inputs =
        summary.job.isUnapproved
        ? try? await store.requests(of: summary.job.id, after: 0, most: Self.mostLooked).map(\.input)
        : try? await store.items(
          of: summary.job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: Self.mostLooked
        ).map(\.input)
      rows.append(
        JobRow(
          summary: summary, handle: handles[summary.job.account],
          targets: Self.firstTargets(of: inputs ?? []),
          namesAccount: accounts.count > 1, isDue: due.contains(summary.job.id),
          end: ends[summary.job.id]))
    }
    return try await named(rows)
  }

  /// What the first items are about, each once.
  private static func firstTargets(of inputs: [String]) -> [String] {
    var targets: [String] = []
    for input in inputs where targets.count < namedTargets && !targets.contains(input) {
      targets.append(input)
    }
    return targets
  }

  /// The rows with handles instead of DIDs.
  private func named(_ rows: [JobRow]) async throws -> [JobRow] {
    let accounts = rows.flatMap { row in row.targets.compactMap { DID($0) } }
    let known = try await names().views(of: accounts, asking: false)
    return rows.map { row in
      var row = row
      row.targets = row.targets.map { target in
        guard let handle = DID(target).flatMap({ known[$0]?.handle }), !handle.isInvalid else {
          return target
        }
        return handle.description
      }
      return row
    }
  }

  // MARK: Checks before a job is run

  /// Cancels the jobs whose process ended while it recorded them, and reports each.
  func cancelUnrecorded(in store: any JobStore, _ note: (Note) -> Void) async throws {
    for job in try await JobManager(journal: store, time: time).cancelUnrecorded() {
      note(.jobAbandoned(job))
    }
  }

  /// Does the same before a job is run.
  ///
  /// - Throws: ``OperationError`` `jobNotWrittenDown` if the job is one of them; `JobError` if another process is
  ///   recording it now.
  func checkIsWrittenDown(_ job: JobID, in store: any JobStore) async throws {
    if try await JobManager(journal: store, time: time).cancelUnrecorded().contains(job) {
      throw OperationError.jobNotWrittenDown(job)
    }
    let summary = try await store.summary(of: job)
    guard summary.job.state == .preparing else { return }
    if let holder = summary.holder { throw JobError.held(job, by: holder) }
    throw OperationError.jobNotWrittenDown(job)
  }

  /// Rejects a job of another account than the one to act as.
  func check(_ job: Job) async throws {
    guard chosenAccount != nil, try await account().did != job.account else { return }
    throw OperationError.jobOfAnotherAccount(job)
  }
}
