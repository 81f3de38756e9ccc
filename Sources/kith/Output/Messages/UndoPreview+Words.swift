// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithWriting

extension UndoPreview {
  /// What a question about an undo says besides the job; empty if nothing is public or gone.
  var details: [String] {
    var details: [String] = []
    if deletedPosts > 0 { details.append("deletes \(Message.counted(deletedPosts, "post"))") }
    if restoredPosts > 0 { details.append("publishes \(Message.counted(restoredPosts, "post")) again") }
    if changesProfile { details.append("changes your profile") }
    details += replies.details(of: deletedPosts)
    if lostFiles > 0 { details.append(Self.lost(lostFiles)) }
    return isPublic ? details + ["an undo cannot be undone"] : details
  }

  /// How many pictures an undo cannot restore.
  static func lost(_ files: Int) -> String { "\(Message.counted(files, "picture")) cannot be restored" }
}

extension RepliesLeft {
  /// What stays below posts when they are deleted; empty if nothing does.
  ///
  /// - Parameter posts: the number of deleted posts.
  func details(of posts: Int) -> [String] {
    var details: [String] = []
    if replies > 0 {
      details.append(
        "\(replies == 1 ? "1 reply stays" : "\(replies) replies stay") below \(posts == 1 ? "it" : "them")")
    }
    if unknown > 0 {
      details.append(
        posts == 1
          ? "its replies are unknown" : "the replies to \(Message.counted(unknown, "post")) are unknown")
    }
    return details
  }
}
