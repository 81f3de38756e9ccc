// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithStore
import KithWriting

extension Wiring {
  /// The journal of all jobs of this user.
  ///
  /// - Throws: ``CommandFault`` if there is no folder for it; `StoreError`.
  func jobStore() throws -> any JobStore {
    SQLiteJobStore(try StoreDatabase(folder: try UserFolder.data.path(in: environment)))
  }

  /// The journal, for reading; an empty one if none was created yet. Creates neither file nor folder.
  ///
  /// - Throws: as ``jobStore()``.
  func jobStoreToRead() throws -> any JobStore {
    let folder = try UserFolder.data.path(in: environment)
    return try StoreFile.journal.exists(in: folder) ? jobStore() : InMemoryJobStore()
  }

  /// The journal, for recording a change before anything is sent.
  ///
  /// - Throws: as ``jobStore()``, with ``UnwrittenChange`` instead of `StoreError`.
  func jobStoreForChange() throws -> any JobStore {
    do { return try jobStore() } catch { throw UnwrittenChange.wrapping(error) }
  }

  /// The recent changes in the journal of this machine; nil without a readable journal. Creates neither file nor
  /// folder.
  func recentChanges() -> JournaledChanges? {
    // Relationships are public: whatever is wrong with the journal is reported where it is needed.
    guard let folder = try? UserFolder.data.path(in: environment),
      (try? StoreFile.journal.exists(in: folder)) == true, let journal = try? jobStore()
    else { return nil }
    return JournaledChanges(journal, time: time)
  }

  /// A source whose answers include what was changed on this machine, even if the AppView lags behind.
  func ownChangesShown(in source: any RelationshipSource) -> any RelationshipSource {
    guard let changes = recentChanges() else { return source }
    return OwnChangesRelationshipSource(source, changes: changes) { [self] owner in
      // The account's own server is trusted, even on a private network.
      if let account = try? await account(of: owner) { return account.pds }
      return try await repository(of: owner, by: rememberedIdentities)
    }
  }

  /// Rows of jobs, with handles and first targets as far as they are known without a call.
  func rows(_ summaries: [JobSummary], in store: any JobStore) async throws -> [JobRow] {
    let accounts = Set(summaries.map(\.job.account))
    var handles: [DID: Handle] = [:]
    let sessions = try sessions().store
    for account in accounts { handles[account] = (try? await sessions.session(of: account))?.handle }
    let due = Set(try await store.due(at: time.instant).map(\.job.id))
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

  /// The unfinished jobs of an account; none without a journal.
  ///
  /// - Throws: as ``jobStore()``; errors of the store.
  func unfinishedWork(of account: DID) async throws -> UnfinishedWork {
    try await UnfinishedWork(of: account, in: try jobStoreToRead())
  }

  /// The engine that changes the relationships of an account.
  func engine(of account: AuthorizedAccount, journal: any JobStore) -> ChangeEngine {
    let folder = remembers ? try? UserFolder.cache.path(in: environment) : nil
    return ChangeEngine(
      account: account.did, pds: account.pds, appview: account.appview.configuration.proxy,
      journal: Journal(journal), identities: identities,
      records: folder.map { OwnRecordCache(folder: $0) } ?? InMemoryOwnRecordStore())
  }
}
