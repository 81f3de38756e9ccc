// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import RelationshipWriting
import Relationships

extension Wiring {
  /// The journal of all jobs of this user.
  ///
  /// - Throws: ``CommandFault`` where there is no place for it; `StoreError`.
  func jobStore() throws -> any JobStore {
    SQLiteJobStore(try StoreDatabase(folder: try UserFolder.data.path(in: environment)))
  }

  /// The repository of an account, and the AppView that keeps its mutes.
  ///
  /// - Parameter ledger: told what the server says of the points that are left: other apps spend them, too.
  func repository(of account: AuthorizedAccount, telling ledger: any WriteBudgetStore) -> PDSRepository {
    let pds = account.pds.wrapping { transport in
      RateLimitListener(transport, time: time) { _, limit, now in
        // The ledger's own count stands where this cannot be written down; the commit's outcome counts for more.
        try? await ledger.observed(limit, of: account.did, at: now)
      }
    }
    return PDSRepository(account: account.did, pds: pds, appview: account.appview.configuration.proxy)
  }
}
