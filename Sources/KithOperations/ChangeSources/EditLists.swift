// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
public import KithWriting

/// Creates a list, unless there is one of this name and purpose, and adds accounts to it.
public struct CreateList: ChangeSource {
  public static let name = "createList"

  /// The list.
  public var draft: ListDraft
  /// The accounts to add; nil for none.
  public var members: AccountChoice?
  /// Whether accounts that are followed become members of a moderation list.
  public var allowsFollowed = false

  public init(_ draft: ListDraft, with members: AccountChoice? = nil) {
    (self.draft, self.members) = (draft, members)
  }

  public let title = ChangeTitle("lists create", "written", noun: "record", imperative: "Write")

  public var confirmation: ConfirmationRule { ConfirmationRule(chosenBy: members?.choice ?? .named) }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let (workspace, account) = (preparation.workspace, preparation.account)
    let known = try await workspace.ownLists(of: account)
    let list = known.all.first(where: draft.isMet)?.uri ?? workspace.newList(of: account)
    var requests = [RequestedChange(draft.name, .success(.list(.create(list, draft))))]
    if let members {
      requests += try await members.accounts(preparation).requests {
        .add($0, to: list, allowsFollowed: allowsFollowed)
      }
    }
    return PreparedChanges(requests)
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.lists])
    let list = estimate.workspace.newList(of: estimate.account)
    estimate.addOwnLists()
    estimate.add(.list(.create(list, draft)))
    // The AppView is asked only about members of moderation lists.
    let isOpen = allowsFollowed || draft.purpose != .moderate
    try await members?.add(to: &estimate) { account, _ in
      .add(account, to: list, allowsFollowed: isOpen)
    }
  }
}

/// Adds accounts to a list of the account, or removes them from it.
public struct ChangeListMembers: ChangeSource {
  public static let name = "changeListMembers"

  /// What is done about each account.
  public enum Kind: Sendable, Hashable {
    /// Add it; to a moderation list only if it is not followed, or that is allowed.
    case add(allowingFollowed: Bool = false)
    case remove
  }

  /// The list: by name, AT-URI or address.
  public var list: String
  /// What is done.
  public var kind: Kind
  /// The accounts.
  public var accounts: AccountChoice

  public init(_ kind: Kind, _ accounts: AccountChoice, list: String) {
    (self.kind, self.accounts, self.list) = (kind, accounts, list)
  }

  public var title: ChangeTitle {
    switch kind {
    case .add: ChangeTitle("lists add", "added", imperative: "Add", place: " to the list")
    case .remove: ChangeTitle("lists remove", "removed", imperative: "Remove", place: " from the list")
    }
  }

  public var confirmation: ConfirmationRule {
    ConfirmationRule(from: kind == .remove ? 2 : nil, chosenBy: accounts.choice)
  }

  private func change(_ account: DID, _ list: ATURI) -> ChangeIntent {
    switch kind {
    case .add(let allowsFollowed): .add(account, to: list, allowsFollowed: allowsFollowed)
    case .remove: .remove(account, from: list)
    }
  }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let found = try await accounts.accounts(preparation)
    let list = try await preparation.workspace.list(named: list, of: preparation.account)
    return PreparedChanges(found.requests { change($0, list) })
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.lists])
    let list = try await estimate.addNaming(of: list)
    try await accounts.add(to: &estimate) { account, _ in change(account, list) }
  }
}

/// Changes the name or the description of a list of the account.
public struct EditList: ChangeSource {
  public static let name = "editList"

  /// The list: by name, AT-URI or address.
  public var list: String
  /// What is changed.
  public var edit: ListEdit

  public init(_ list: String, _ edit: ListEdit) { (self.list, self.edit) = (list, edit) }

  public let title = ChangeTitle("lists edit", "changed", noun: "list")

  public var confirmation: ConfirmationRule { ConfirmationRule() }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let uri = try await preparation.workspace.list(named: list, of: preparation.account)
    return PreparedChanges([RequestedChange(list, .success(.list(.edit(uri, edit))))])
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.lists])
    let list = try await estimate.addNaming(of: list)
    estimate.add(.list(.edit(list, edit)))
  }
}

/// Deletes lists of the account with their members.
public struct DeleteLists: ChangeSource {
  public static let name = "deleteLists"

  /// The lists: by name, AT-URI or address.
  public var lists: [String]

  public init(_ lists: [String]) { self.lists = lists }

  public let title = ChangeTitle("lists delete", "deleted", noun: "list", imperative: "Delete")

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    var requests: [RequestedChange] = []
    for list in lists {
      let uri = try await preparation.workspace.list(named: list, of: preparation.account)
      requests.append(RequestedChange(list, .success(.list(.delete(uri)))))
    }
    return PreparedChanges(requests)
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.lists])
    for list in lists { estimate.add(.list(.delete(try await estimate.addNaming(of: list)))) }
  }
}

extension Workspace {
  /// The AT-URI of a list that an account is about to create.
  func newList(of account: AuthorizedAccount) -> ATURI {
    OwnList.uri(RecordKey(tid: TIDClock(time: time).next()), of: account.did)
  }
}
