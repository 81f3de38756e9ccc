// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What somebody wants to be so with a list of their own, or with an account on it.
public enum ListChange: Sendable, Hashable {
  /// Make the list under this address, which names one of the account's own records that is not there yet.
  case create(ATURI, ListDraft)
  /// Let the list say something else about itself.
  case edit(ATURI, ListEdit)
  /// Take the list away, and with it the own records that put accounts on it or block it.
  case delete(ATURI)
  /// Put the account on the list. One whom the owner follows comes onto a moderation list only where that is
  /// allowed expressly.
  case add(DID, to: ATURI, allowsFollowed: Bool = false)
  /// Take the account off the list, by whichever record (Q16).
  case remove(DID, from: ATURI)

  /// The list that it is about.
  public var list: ATURI {
    switch self {
    case .create(let list, _), .edit(let list, _), .delete(let list), .add(_, let list, _),
      .remove(_, let list):
      list
    }
  }

  /// The account that is put on the list or taken off; nil where it is about the list itself.
  public var account: DID? {
    switch self {
    case .add(let account, _, _), .remove(let account, _): account
    case .create, .edit, .delete: nil
    }
  }

  /// What has to be known before it can be planned.
  public var needs: GraphKnowledge.Parts {
    switch self {
    case .create, .edit: .lists
    case .add, .remove: [.lists, .listItems]
    case .delete: [.lists, .listItems, .listBlocks]
    }
  }
}
