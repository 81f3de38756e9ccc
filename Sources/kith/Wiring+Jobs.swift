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

  /// What changes the relationships of an account.
  func engine(of account: AuthorizedAccount, journal: any JobStore) -> ChangeEngine {
    ChangeEngine(
      account: account.did, pds: account.pds, appview: account.appview.configuration.proxy, journal: journal)
  }
}
