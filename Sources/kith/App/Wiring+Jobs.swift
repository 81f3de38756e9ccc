// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import RelationshipWriting

extension Wiring {
  /// The journal of all jobs of this user.
  ///
  /// - Throws: ``CommandFault`` where there is no place for it; `StoreError`.
  func jobStore() throws -> any JobStore {
    SQLiteJobStore(try StoreDatabase(folder: try UserFolder.data.path(in: environment)))
  }

  /// The journal, to write a change down that nothing was sent of yet.
  ///
  /// - Throws: as ``jobStore()``, with ``UnwrittenChange`` in the place of `StoreError`.
  func jobStoreForChange() throws -> any JobStore {
    do { return try jobStore() } catch { throw UnwrittenChange.wrapping(error) }
  }

  /// What an account leaves behind; nothing where no job was ever written down here.
  ///
  /// - Throws: as ``jobStore()``, and what the store throws.
  func unfinishedWork(of account: DID) async throws -> UnfinishedWork {
    guard try StoreFile.journal.exists(in: try UserFolder.data.path(in: environment)) else {
      return UnfinishedWork(timed: [], open: [])
    }
    return try await UnfinishedWork(of: account, in: try jobStore())
  }

  /// What changes the relationships of an account.
  func engine(of account: AuthorizedAccount, journal: any JobStore) -> ChangeEngine {
    ChangeEngine(
      account: account.did, pds: account.pds, appview: account.appview.configuration.proxy, journal: journal)
  }
}
