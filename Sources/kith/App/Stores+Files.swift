// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithStore

extension Stores {
  /// The files of this user.
  ///
  /// - Parameter services: whose answers are cached; nil to use no cache.
  init(of environment: [String: String], cachedAnswersOf services: Workspace.Services?, time: TimeSource) {
    self.init(
      sessions: {
        SessionFolder(path: try UserFolder.state.path(in: environment) + "/sessions", time: time)
      },
      knownAccounts: { KnownAccounts(path: try UserFolder.state.path(in: environment) + "/known") },
      journal: { absence in
        let folder = try UserFolder.data.path(in: environment)
        if absence == .leave, try !StoreFile.journal.exists(in: folder) { return nil }
        return SQLiteJobStore(try StoreDatabase(folder: folder), writesUnknownGraphs: true)
      },
      history: { absence in
        let folder = try UserFolder.data.path(in: environment)
        if absence == .leave, try !StoreFile.history.exists(in: folder) { return nil }
        return SQLiteHistoryStore(try StoreDatabase(folder: folder, .history))
      },
      cache: services.map { services in
        (try? UserFolder.cache.path(in: environment)).map { Cache(in: $0, answersOf: services) }
          ?? Cache(records: InMemoryOwnRecordStore())
      })
  }
}

extension Stores.Cache {
  /// The files of a folder.
  fileprivate init(in folder: String, answersOf services: Workspace.Services) {
    self.init(
      identities: IdentityCache(folder: folder, appview: services.appview, directory: services.plc),
      names: { try? NameCache(folder: folder) }, lists: { try? ListNameCache(folder: folder) },
      discovery: { try? DiscoveryCache(folder: folder) },
      records: OwnRecordCache(folder: folder))
  }
}
