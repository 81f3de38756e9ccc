// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import KithStore
import KithWriting

extension CompletionValues {
  /// How long a store that another process writes to is waited for.
  private static let patience = Duration.milliseconds(300)

  /// Reads the values of this user. Makes no call and creates no store; what cannot be read is left out.
  static func stored(in environment: [String: String]) async -> CompletionValues {
    var values = CompletionValues()
    values.home = environment["HOME"]
    if let folder = try? UserFolder.state.path(in: environment) {
      values.readAccounts(in: folder + "/sessions")
    }
    if let folder = try? UserFolder.data.path(in: environment) {
      await values.readJobs(in: folder)
      await values.readSegments(in: folder)
    }
    if let folder = try? UserFolder.cache.path(in: environment),
      (try? StoreFile.cache.exists(in: folder)) == true
    {
      values.lists = (try? await ListNameCache(folder: folder).names()) ?? []
    }
    return values
  }

  private mutating func readAccounts(in folder: String) {
    let sessions = SessionFolder(path: folder)
    for did in (try? sessions.accounts()) ?? [] {
      let handle = (try? sessions.session(of: did))?.handle
      accounts.append(handle.flatMap { $0.isInvalid ? nil : $0.description } ?? did.description)
    }
  }

  private mutating func readJobs(in folder: String) async {
    guard (try? StoreFile.journal.exists(in: folder)) == true,
      let database = try? StoreDatabase(folder: folder, busyTimeout: Self.patience),
      let summaries = try? await SQLiteJobStore(database).summaries(of: nil)
    else { return }
    jobs = summaries.map { summary in
      Job(
        number: "\(summary.job.id)", isEnded: summary.job.state.isEnded, hasDone: summary.counts[.done] > 0,
        hasFailed: summary.counts[.failed] > 0, isProposed: summary.job.state == .proposed)
    }
  }

  private mutating func readSegments(in folder: String) async {
    guard (try? StoreFile.history.exists(in: folder)) == true,
      let database = try? StoreDatabase(folder: folder, .history, busyTimeout: Self.patience),
      let found = try? await SQLiteHistoryStore(database).segments()
    else { return }
    segments = found.map(\.name)
  }
}
