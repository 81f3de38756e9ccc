// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// The facts that a number of changes need, and about which accounts.
struct FactRequirements {
  /// Up to this many accounts, the AppView is asked about all of them for the notes: that is one call.
  static let fewAccounts = AppViewRelationshipSource.targetsPerCall

  private(set) var parts: Set<SubjectFacts.Part> = []
  /// Accounts whose own edges are needed.
  private(set) var accounts: Set<DID> = []
  /// Those of them whose relationship the AppView knows.
  private var related: Set<DID> = []
  private var lists: Set<ATURI> = []
  private var hasListBlocks = false
  private(set) var mutes: Set<DID> = []
  private(set) var listMutes: Set<ATURI> = []
  private var unblocks: Set<DID> = []
  private(set) var unfollows: Set<DID> = []
  /// Accounts whose items of own lists are needed; nil for all items.
  private(set) var members: Set<DID>? = []
  private(set) var ownLists: Set<ATURI> = []
  /// Lists to be created; later changes of the same plan treat them as existing.
  private(set) var drafts: [(uri: ATURI, draft: ListDraft)] = []
  private var guests: [ATURI: Set<DID>] = [:]
  /// Own records that are looked up by their names.
  private(set) var named: Set<RecordName> = []

  init(_ changes: some Collection<ChangeIntent>) {
    for change in changes {
      let needs = change.needs
      parts.formUnion(needs)
      if case .list(let change) = change {
        want(change)
        continue
      }
      if needs.contains(.named) {
        named.formUnion(change.recordsNeeded)
        continue
      }
      if case .edge(let edge, let wanted) = change, let account = edge.account, let list = edge.list {
        ownLists.insert(list)
        members?.insert(account)
        if wanted == .make { guests[list, default: []].insert(account) }
        continue
      }
      if let account = change.account {
        if needs.contains(.mutes) { mutes.insert(account) } else { accounts.insert(account) }
        if needs.contains(.edges(.follow)) || needs.contains(.edges(.block)) { related.insert(account) }
      }
      if let list = change.list {
        if needs.contains(.edges(.listblock)) {
          lists.insert(list)
        } else if list.isList {
          listMutes.insert(list)
        }
        if list.collection == .listblock { hasListBlocks = true }
      }
      switch (change.removedEdge?.kind, change.account) {
      case (.follow, let account?): unfollows.insert(account)
      case (.block, let account?): unblocks.insert(account)
      default: break
      }
    }
  }

  /// Lists whose own records are kept; nil for all, if a list is named by one of the records.
  var keptLists: Set<ATURI>? { hasListBlocks ? nil : lists }

  /// The own records that are needed.
  var records: [NSID: OwnRecordFilter] {
    func about(_ accounts: Set<DID>?) -> OwnRecordFilter {
      accounts.map { .some(subjects: Set($0.map(\.description))) } ?? .all
    }
    var wanted: [NSID: OwnRecordFilter] = parts.contains(.lists) ? [.list: .all] : [:]
    for case .records(let collection) in parts { wanted[collection] = .all }
    for case .edges(let kind) in parts {
      wanted[kind.collection] =
        switch kind.target {
        case .account: about(accounts)
        case .list: .all
        case .member: about(members)
        // The AppView says what the account has liked: listing tens of thousands of likes costs too much.
        case .post: .some(subjects: [])
        }
    }
    return wanted
  }

  private mutating func want(_ change: ListChange) {
    ownLists.insert(change.list)
    switch change {
    case .create(let list, let draft): drafts.append((list, draft))
    // Needs all members.
    case .delete(let list), .clear(let list):
      members = nil
      lists.insert(list)
    case .edit: break
    }
  }

  /// Accounts that are to be added to a moderation list, and may be followed.
  func guests(where isForModeration: (ATURI) -> Bool) -> Set<DID> {
    guests.reduce(into: []) { all, entry in if isForModeration(entry.key) { all.formUnion(entry.value) } }
  }

  /// The subjects of a kind of edges whose records are kept; nil for all.
  func subjects(of kind: EdgeKind) -> Set<String>? {
    switch kind.target {
    case .account: Set(accounts.map(\.description))
    case .list: keptLists.map { Set($0.map(\.description)) }
    case .member, .post: nil
    }
  }

  /// Accounts that the AppView is asked about from the start: all if there are few; otherwise those that a
  /// list may block.
  var relationships: Set<DID> { relationships(ofAll: areFew()) }

  /// Whether so few accounts need their relationship that all of them are asked about.
  ///
  /// - Parameter others: further accounts that are only counted.
  func areFew(with others: Int = 0) -> Bool { related.count + others <= Self.fewAccounts }

  /// The accounts asked about: all of them, or those that a list may block.
  func relationships(ofAll isFew: Bool) -> Set<DID> { isFew ? related : unblocks }

  /// Whether the relationship with any account is needed.
  var asksRelationship: Bool { !related.isEmpty }

  /// Accounts to unfollow for which there is no record: the AppView may show a ghost (Q20).
  func unclear(in known: PlanningFacts) -> Set<DID> {
    unfollows.filter { known.edges[.follow]?[$0].isEmpty == true }
  }
}
