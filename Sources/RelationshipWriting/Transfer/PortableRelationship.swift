// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import Relationships

/// One relationship of an account, as a file can say it to any other account.
///
/// Keys and dates of records are left out: they belong to the repository that a relationship was taken from. Lists are
/// named by their address there.
public enum PortableRelationship: Sendable, Hashable {
  /// What a relationship is, in a word.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An account is followed.
    case follow
    /// An account is blocked.
    case block
    /// An account is muted, altogether.
    case mute
    /// There is a list.
    case list
    /// An account is on a list.
    case member
    /// All members of a list are blocked.
    case listBlock = "list-block"
    /// All members of a list are muted.
    case listMute = "list-mute"
  }

  case follow(DID)
  case block(DID)
  case mute(DID)
  case list(ATURI, ListDraft)
  case member(DID, of: ATURI)
  case listBlock(ATURI)
  case listMute(ATURI)

  /// What it is, in a word.
  public var kind: Kind {
    switch self {
    case .follow: .follow
    case .block: .block
    case .mute: .mute
    case .list: .list
    case .member: .member
    case .listBlock: .listBlock
    case .listMute: .listMute
    }
  }
}

/// Turns relationships of one account into changes of another one, or of the same.
///
/// A list of the account itself stays what it is. For any other list that the file tells of, the account's own list of
/// the same name and purpose stands, or a new one: its members go there, and blocks and mutes of it mean that one.
/// ``PlannedChange/keepingFollows(of:)`` is to be applied to the plan: who is followed and blocked at once is to be so
/// again.
public struct RelationshipTransfer: Sendable {
  private let account: DID
  /// By the address that the file has for it.
  private var lists: [ATURI: ATURI] = [:]
  private var drafts: [ATURI: ListDraft] = [:]
  /// Accounts that the file says are followed.
  public private(set) var followed: Set<DID> = []

  /// Finds out which list stands for which.
  ///
  /// - Parameters:
  ///   - relationships: all that is to be transferred.
  ///   - known: the account's own lists.
  ///   - newList: gives an address that no list has.
  public init(
    of relationships: some Sequence<PortableRelationship>, to account: DID, owning known: OwnLists,
    newList: () -> ATURI
  ) {
    self.account = account
    for list in known.all { lists[list.uri] = list.uri }
    var made: [ATURI: ListDraft] = [:]
    for relationship in relationships {
      switch relationship {
      case .follow(let account): followed.insert(account)
      case .list(let list, let draft) where drafts[list] == nil:
        let same = draft.isSame
        if lists[list] == nil {
          lists[list] =
            known.all.first { same($0.name, $0.purpose) }?.uri
            ?? made.first { same($0.value.name, $0.value.purpose) }?.key
        }
        if let own = lists[list], let known = known[own] {
          // What one's own list says about itself is not overwritten.
          drafts[list] = ListDraft(name: known.name ?? draft.name, purpose: known.purpose ?? draft.purpose)
        } else {
          let own = lists[list] ?? newList()
          lists[list] = own
          made[own] = made[own] ?? draft
          drafts[list] = made[own]
        }
      case .list, .block, .mute, .member, .listBlock, .listMute: break
      }
    }
  }

  /// The change that brings a relationship about; nil for a member of a list of which nothing is known.
  ///
  /// - Parameter allowsFollowed: whether accounts that are followed may come onto moderation lists.
  public func change(
    for relationship: PortableRelationship, allowsFollowed: Bool = false
  ) -> ChangeIntent? {
    switch relationship {
    case .follow(let account): return .follow(account)
    case .block(let account): return .block(account)
    case .mute(let account): return .mute(account, .everything)
    case .list(let list, _):
      guard let own = lists[list], let draft = drafts[list] else { return nil }
      return .list(.create(own, draft))
    case .member(let account, let list):
      return lists[list].map { .list(.add(account, to: $0, allowsFollowed: allowsFollowed)) }
    case .listBlock(let list): return .blockList(lists[list] ?? list)
    case .listMute(let list): return .muteList(lists[list] ?? list)
    }
  }
}

extension ListDraft {
  fileprivate func isSame(as other: String?, _ purpose: ListPurpose?) -> Bool {
    name == other && self.purpose == purpose
  }
}

extension PlannedChange {
  /// The change without the end of a follow that is to stand beside a block.
  ///
  /// - Parameter followed: who is to be followed.
  public func keepingFollows(of followed: Set<DID>) -> PlannedChange {
    guard case .block(let subject) = change, followed.contains(subject), case .steps = outcome else {
      return self
    }
    var planned = self
    let writes = steps.flatMap(\.writes).filter { $0.collection != .follow }
    planned.outcome = writes.isEmpty ? .holds : .steps(ChangeStep.steps(.account(subject), writes))
    return planned
  }
}
