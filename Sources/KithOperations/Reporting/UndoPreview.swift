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
  package internal(set) var replies = RepliesLeft()
  /// The number of files, such as pictures, that it cannot bring back.
  public internal(set) var lostFiles = 0

  /// How many replies stay below the posts that it deletes; nil if that is unknown of one of them.
  public var repliesLeft: Int? { replies.unknown == 0 ? replies.replies : nil }

  /// Whether it changes what everybody reads. An undo cannot be undone, so that is asked about.
  public var isPublic: Bool { deletedPosts > 0 || restoredPosts > 0 || changesProfile }
}

/// What stays below posts when they are deleted.
public struct RepliesLeft: Sendable, Hashable {
  /// The replies that are known; those that are deleted, too, do not count.
  public internal(set) var replies = 0
  /// The number of posts whose replies are unknown.
  public internal(set) var unknown = 0
}
