// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// What has to be learned for a number of changes, and of whom.
struct FactRequirements {
  /// Changes up to which the AppView is asked about all of them, for what their notes say: one call.
  static let fewAccounts = AppViewRelationshipSource.targetsPerCall

  private(set) var parts: SubjectFacts.Parts = []
  /// Whose own edges are wanted.
  private(set) var accounts: Set<DID> = []
  private var lists: Set<ATURI> = []
  private var hasListBlocks = false
  private(set) var mutes: Set<DID> = []
  private(set) var listMutes: Set<ATURI> = []
  private var unblocks: Set<DID> = []
  private(set) var unfollows: Set<DID> = []
  private var hasOtherThanFollows = false
  /// Whose items of own lists are wanted; nil for everybody's.
  private(set) var members: Set<DID>? = []
  private(set) var ownLists: Set<ATURI> = []
  /// Lists that are to be made, and are taken for made by what is planned after them.
  private(set) var drafts: [(uri: ATURI, draft: ListDraft)] = []
  private var guests: [ATURI: Set<DID>] = [:]

  init(_ changes: some Collection<ChangeIntent>) {
    for change in changes {
      let needs = change.needs
      parts.formUnion(needs)
      if case .list(let change) = change {
        want(change)
        continue
      }
      if case .deduplicate(let edge) = change, needs.contains(.listItems) {
        if let list = edge.list { ownLists.insert(list) }
        if let account = edge.account { members?.insert(account) }
        continue
      }
      if let account = change.account {
        if needs.contains(.mutes) { mutes.insert(account) } else { accounts.insert(account) }
      }
      if let list = change.list {
        if needs.contains(.listBlocks) { lists.insert(list) } else if list.isList { listMutes.insert(list) }
        if list.collection == .listblock { hasListBlocks = true }
      }
      switch change {
      case .unfollow(let account): unfollows.insert(account)
      case .unblock(let account): unblocks.insert(account)
      default: break
      }
      if needs.contains(.follows), !change.isFollow { hasOtherThanFollows = true }
    }
  }

  /// Which lists' own records are kept; nil for all, where a list is named by one of the records.
  var keptLists: Set<ATURI>? { hasListBlocks ? nil : lists }

  /// Whether own follows are wanted for nothing but to follow: then an AppView may be asked for old ones.
  var onlyFollows: Bool { parts.contains(.follows) && !hasOtherThanFollows }

  /// Whether they are so few that the AppView is asked about all of them anyway.
  var isFew: Bool { accounts.count <= FactLoader.fewFollows }

  private mutating func want(_ change: ListChange) {
    ownLists.insert(change.list)
    if let account = change.account { members?.insert(account) }
    switch change {
    case .create(let list, let draft): drafts.append((list, draft))
    case .add(let account, let list, false): guests[list, default: []].insert(account)
    // Whoever is on it.
    case .delete(let list), .clear(let list):
      members = nil
      lists.insert(list)
    case .edit, .add, .remove: break
    }
  }

  /// Who is to come onto a moderation list, and may be followed.
  func guests(where isForModeration: (ATURI) -> Bool) -> Set<DID> {
    guests.reduce(into: []) { all, entry in if isForModeration(entry.key) { all.formUnion(entry.value) } }
  }

  /// Of whom the AppView is asked from the start: all where they are few; else whoever may be blocked by a list.
  var relationships: Set<DID> { accounts.count <= Self.fewAccounts ? accounts : unblocks }

  /// Who is to be followed no more but is not followed by any record: the AppView may show a ghost (Q20).
  func unclear(in known: PlanningFacts) -> Set<DID> {
    unfollows.filter { known.follows?[$0].isEmpty == true }
  }
}

extension ChangeIntent {
  fileprivate var isFollow: Bool { if case .follow = self { true } else { false } }
}
