// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

/// What the undo of a job changes in public, and what it cannot bring back.
public struct UndoPreview: Sendable, Hashable {
  /// The number of posts that it deletes.
  public internal(set) var deletedPosts = 0
  /// The number of posts that it publishes again.
  public internal(set) var restoredPosts = 0
  /// Whether it changes the profile of the account.
  public internal(set) var changesProfile = false
  /// What stays below the posts that it deletes.
  package internal(set) var replies = ReplyCounts.Left()
  /// The number of files, such as pictures, that it cannot bring back.
  public internal(set) var lostFiles = 0

  /// How many replies stay below the posts that it deletes; nil if that is unknown of one of them.
  public var repliesLeft: Int? { replies.unknown == 0 ? replies.replies : nil }

  /// Whether it changes what everybody reads. An undo cannot be undone, so that is asked about.
  public var isPublic: Bool { deletedPosts > 0 || restoredPosts > 0 || changesProfile }
}

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
