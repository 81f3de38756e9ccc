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
  init(of environment: [String: String], cachedAnswersOf services: ServiceNetwork.Services?, time: TimeSource)
  {
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
        (try? UserFolder.cache.path(in: environment)).map { folder in
          AnswerCache.files(in: folder, appview: services.appview, directory: services.plc)
        } ?? .inMemory()
      })
  }
}
