// SPDX-License-Identifier: Apache-2.0

/// A record of a repository: an initial one, computed on demand, or a written one.
enum StoredRecord: Sendable {
  case follow(EdgeTable.Edge)
  case block(EdgeTable.Edge)
  case listBlock(EdgeTable.Edge)
  case listItem(EdgeTable.Edge)
  case list(Int)
  /// The starter pack of a list.
  case starterPack(Int)
  /// The profile of an account.
  case profile(Int)
  /// A post, with the timeline that its text is computed from.
  indirect case post(Post, PostTimeline)
  indirect case written(WrittenRecord)
}
