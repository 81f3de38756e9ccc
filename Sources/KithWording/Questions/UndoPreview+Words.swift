// SPDX-License-Identifier: Apache-2.0

package import KithOperations
import KithWriting

extension UndoPreview {
  /// What a question about an undo says besides the job; empty if nothing is public or gone.
  package var details: [String] {
    var details: [String] = []
    if deletedPosts > 0 { details.append("deletes \(Counted.words(deletedPosts, "post"))") }
    if restoredPosts > 0 { details.append("publishes \(Counted.words(restoredPosts, "post")) again") }
    if changesProfile { details.append("changes your profile") }
    details += replies.details(of: deletedPosts)
    if lostFiles > 0 { details.append(Self.lost(lostFiles)) }
    return isPublic ? details + ["an undo cannot be undone"] : details
  }

  /// How many pictures an undo cannot restore.
  package static func lost(_ files: Int) -> String { "\(Counted.words(files, "picture")) cannot be restored" }
}

extension RepliesLeft {
  /// What stays below posts when they are deleted; empty if nothing does.
  ///
  /// - Parameter posts: the number of deleted posts.
  package func details(of posts: Int) -> [String] {
    var details: [String] = []
    if replies > 0 {
      details.append(
        "\(replies == 1 ? "1 reply stays" : "\(replies) replies stay") below \(posts == 1 ? "it" : "them")")
    }
    if unknown > 0 {
      details.append(
        posts == 1
          ? "its replies are unknown" : "the replies to \(Counted.words(unknown, "post")) are unknown")
    }
    return details
  }
}
