// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import Relationships

extension Wiring {
  /// The journal of all jobs of this user.
  ///
  /// - Throws: ``CommandFault`` where there is no place for it; `StoreError`.
  func jobStore() throws -> any JobStore {
    SQLiteJobStore(try StoreDatabase(folder: try UserFolder.data.path(in: environment)))
  }

  /// The repository of an account, and the AppView that keeps its mutes.
  func repository(of account: AuthorizedAccount) -> PDSRepository {
    PDSRepository(account: account.did, pds: account.pds, appview: account.appview.configuration.proxy)
  }
}
