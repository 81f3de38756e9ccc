// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

extension UndoPreview {
  /// - Parameter asks: whether the number of replies is looked up, for a question.
  /// - Throws: what the journal throws; `RepositoryError` if the server does not say which files it has;
  ///   `CancellationError`.
  init(
    of job: JobID, by engine: ChangeEngine, as account: AuthorizedAccount, asking asks: Bool
  ) async throws {
    var posts: [ATURI] = []
    var files: [Blob] = []
    var items = JobItems(of: job, in: engine.journal, states: [.done, .inDoubt])
    while let item = try await items.next() {
      for write in item.step.writes {
        // What an undo makes again is what the job has let go.
        files += write.filesLetGo
        switch (write.collection, write.action) {
        case (.post, .create):
          posts.append(
            ATURI(authority: .did(account.did), collection: .post, recordKey: write.rkey))
        case (.post, .delete), (.post, .update): restoredPosts += 1
        case (.profile, _): changesProfile = true
        default: break
        }
      }
    }
    deletedPosts = posts.count
    if asks, !posts.isEmpty {
      replies = try await ReplyCounts(of: posts, as: account).left(below: posts)
    }
    lostFiles = try await engine.lostFiles(among: files).count
  }
}
