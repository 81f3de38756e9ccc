// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithStore
import KithWriting

extension Wiring {
  /// The journal, for recording a change before anything is sent.
  ///
  /// - Throws: as ``Workspace/jobStore()``, with ``UnwrittenChange`` instead of `StoreError`.
  func jobStoreForChange() throws -> any JobStore {
    do { return try workspace.jobStore() } catch { throw UnwrittenChange.wrapping(error) }
  }

  /// Rows of jobs, with handles and first targets as far as they are known without a call.
  func rows(_ summaries: [JobSummary], in store: any JobStore) async throws -> [JobRow] {
    let accounts = Set(summaries.map(\.job.account))
    var handles: [DID: Handle] = [:]
    let sessions = try workspace.sessions().store
    for account in accounts { handles[account] = (try? await sessions.session(of: account))?.handle }
    let due = Set(try await store.due(at: workspace.time.instant).map(\.job.id))
    var rows: [JobRow] = []
    for summary in summaries {
      // Items that cannot be read are reported where they are needed.
      let items = try? await store.items(
        of: summary.job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: Self.namedTargets)
      rows.append(
        JobRow(
          summary: summary, handle: handles[summary.job.account], targets: (items ?? []).map(\.input),
          namesAccount: accounts.count > 1, isDue: due.contains(summary.job.id)))
    }
    return try await named(rows)
  }

  /// Prints one job.
  func print(_ summary: JobSummary, in store: any JobStore) async throws {
    for row in try await rows([summary], in: store) { try common.print(row, environment: environment) }
  }

  private static let namedTargets = 2

  /// The rows with handles instead of DIDs.
  private func named(_ rows: [JobRow]) async throws -> [JobRow] {
    let accounts = rows.flatMap { row in row.targets.compactMap { DID($0) } }
    let known = try await workspace.names().views(of: accounts, asking: false)
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
}
