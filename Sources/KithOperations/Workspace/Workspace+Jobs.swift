// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
package import KithRelationships
package import KithWriting

extension Workspace {
  /// The journal of all jobs, created if needed.
  ///
  /// - Throws: what the stores throw.
  package func jobStore() throws -> any JobStore {
    try stores.journal(.create) ?? InMemoryJobStore()
  }

  /// The journal, for recording a change before anything is sent.
  ///
  /// - Throws: ``UnrecordedChangeError`` for an error of the journal; what the stores throw.
  package func jobStoreForChange() throws -> any JobStore {
    do { return try jobStore() } catch { throw UnrecordedChangeError.wrapping(error) }
  }

  /// The journal, for reading; an empty one if none was created yet.
  ///
  /// - Throws: what the stores throw.
  package func jobStoreToRead() throws -> any JobStore {
    try stores.journal(.leave) ?? InMemoryJobStore()
  }

  /// The recent changes in the journal of this machine; nil without a readable journal.
  package func recentChanges() -> JournaledChanges? {
    // Relationships are public: whatever is wrong with the journal is reported where it is needed.
    (try? stores.journal(.leave))?.map { JournaledChanges($0, time: time) }
  }

  /// What was changed on this machine, for answers of an AppView that lags behind; nil without a readable journal.
  package var ownChanges: OwnChanges? {
    recentChanges().map { changes in
      OwnChanges(changes, time: time) { [weak self] owner in
        guard let self else { throw CancellationError() }
        // The account's own server is trusted, even on a private network.
        if let account = try? await account(of: owner) { return account.pds }
        return try await repository(of: owner, by: cachedIdentities)
      }
    }
  }

  /// The engine that changes the relationships of an account.
  ///
  /// - Parameter files: the files that records to be written name.
  package func engine(
    of account: AuthorizedAccount, journal: any JobStore, files: [RecordFile] = []
  ) -> ChangeEngine {
    ChangeEngine(
      account: account.did, pds: account.pds, appview: account.appview.configuration.proxy,
      journal: Journal(journal), identities: identities,
      records: stores.cache?.records ?? InMemoryOwnRecordStore(), files: files,
      observers: ChangeObservers(account: account.did, overlay: accounts.overlay))
  }

  /// The account of a job, which has to be signed in.
  ///
  /// - Throws: as ``account()``; if the workspace acts as another account, the runner throws later.
  package func account(of job: Job) async throws -> AuthorizedAccount {
    try await chosenAccount == nil ? account(named: .did(job.account)) : account()
  }
}
