// SPDX-License-Identifier: Apache-2.0

/// What is known of a list of one's own before it is changed, from the own repository itself.
public struct ListKnowledge: Sendable, Hashable {
  /// The list, and those that have the name which it is to have.
  public var lists: [OwnList]
  /// The records that put the account on it, or all of them where the change is about the list itself; nil
  /// where they were not learned.
  public var items: [OwnRecord]?

  /// Puts together what is known.
  public init(lists: [OwnList], items: [OwnRecord]? = nil) {
    self.lists = lists
    self.items = items
  }
}
