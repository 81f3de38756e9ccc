// SPDX-License-Identifier: Apache-2.0

/// A record of a repository: one that the network was made with, worked out whenever it is asked for, or one
/// that was written.
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
  /// A post, with what its words are worked out from.
  indirect case post(Post, PostTimeline)
  indirect case written(WrittenRecord)
}
