// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithLexicons
package import KithRelationships

/// The facts that changes are planned with, for many subjects at once.
package struct PlanningFacts: Sendable {
  /// The account's own follow records; nil if not asked for.
  package var follows: OwnEdges<App.Bsky.Graph.Follow>?
  /// The account's own block records; nil if not asked for.
  package var blocks: OwnEdges<App.Bsky.Graph.Block>?
  /// The account's own `listblock` records; nil if not asked for.
  package var listBlocks: OwnEdges<App.Bsky.Graph.Listblock>?
  /// The account's own lists; nil if not asked for.
  package var lists: OwnLists?
  /// The account's own list items; nil if not asked for.
  package var listItems: OwnListItems?
  /// Lists that changes of the same plan create before others add members.
  package var expectedLists = OwnLists()
  /// Relationships as an AppView shows them.
  package var relationships: [DID: RelationshipInfo] = [:]
  /// How accounts are muted.
  package var mutes: [DID: MuteState] = [:]
  /// Which lists are muted.
  package var listMutes: [ATURI: Bool] = [:]
  /// Accounts to be verified that certainly do not exist.
  package var nonexistent: Set<DID> = []
  /// Failures that left facts unknown; a plan that needs those facts says so in a note.
  package var faults: [RelationshipError] = []

  /// Accounts whose relationship was asked for but not returned, because of one of the faults.
  package var relationshipsNotLearned: Set<DID> = []
  /// A commit at or after which the own records were read; nil if the server does not name its commits.
  package var commit: RepositoryCommit?
  /// Collections of the account's own repository that were read completely.
  package var listedCollections: Set<NSID> = []

  /// Creates empty facts.
  package init() {}

  /// Returns those of the records whose collection was not listed, so that their existence is unknown.
  package func unlisted(among writes: some Sequence<RecordWrite>) -> Set<RecordName> {
    Set(writes.map(\.name).filter { !listedCollections.contains($0.collection) })
  }

  /// The facts about the subject of a change.
  package subscript(change: ChangeIntent) -> SubjectFacts {
    if case .list(let change) = change { return self[change] }
    if case .deduplicate(let edge) = change, let account = edge.account, let list = edge.list {
      return SubjectFacts(list: lists.map { _ in ListFacts(lists: [], items: listItems?[list, account]) })
    }
    if let account = change.account {
      return SubjectFacts(
        follows: follows?[account], blocks: blocks?[account], relationship: relationships[account],
        mute: mutes[account], relationshipNotLearned: relationshipsNotLearned.contains(account))
    }
    guard let list = change.list else { return SubjectFacts() }
    return SubjectFacts(listBlocks: listBlocks.map { $0[blocked: list] }, listIsMuted: listMutes[list])
  }

  private subscript(change: ListChange) -> SubjectFacts {
    let items = listItems.map { items in
      change.account.map { items[change.list, $0] } ?? items[change.list]
    }
    return SubjectFacts(
      listBlocks: listBlocks?[change.list],
      list: lists.map { ListFacts(lists: about(change, $0), items: items) },
      relationship: change.account.flatMap { relationships[$0] })
  }

  private func about(_ change: ListChange, _ lists: OwnLists) -> [OwnList] {
    let known = lists.about(change)
    guard known.isEmpty, case .add = change else { return known }
    return expectedLists.about(change)
  }

  /// The account's own records in these collections whose subject cannot be read.
  package var unreadable: MalformedRecords {
    MalformedRecords() + follows?.unreadable + blocks?.unreadable + listBlocks?.unreadable
      + lists?.unreadable + listItems?.unreadable
  }
}

extension OwnEdges<App.Bsky.Graph.Listblock> {
  /// The records that block a list, which is named by its own URI or by that of one of the records (Q6).
  fileprivate subscript(blocked list: ATURI) -> [OwnRecord] {
    guard list.collection == .listblock, let rkey = list.recordKey else { return self[list] }
    return subject(of: rkey).map { self[$0] } ?? []
  }
}

/// The facts about one account or list; nil means unknown.
package struct SubjectFacts: Sendable, Hashable {
  /// The account's own follow records for the other account, from the repository.
  package var follows: [OwnRecord]?
  /// The account's own block records for the other account, from the repository.
  package var blocks: [OwnRecord]?
  /// The account's own `listblock` records for the list, from the repository.
  package var listBlocks: [OwnRecord]?
  /// An own list and its members, from the repository.
  package var list: ListFacts?
  /// The relationship as an AppView shows it; only used for notes.
  package var relationship: RelationshipInfo?
  /// Whether the relationship was asked for but not returned.
  package var relationshipNotLearned = false
  /// How the account is muted.
  package var mute: MuteState?
  /// Whether the list is muted.
  package var listIsMuted: Bool?

  /// Creates facts.
  package init(
    follows: [OwnRecord]? = nil, blocks: [OwnRecord]? = nil, listBlocks: [OwnRecord]? = nil,
    list: ListFacts? = nil, relationship: RelationshipInfo? = nil, mute: MuteState? = nil,
    listIsMuted: Bool? = nil, relationshipNotLearned: Bool = false
  ) {
    self.follows = follows
    self.blocks = blocks
    self.listBlocks = listBlocks
    self.list = list
    self.relationship = relationship
    self.mute = mute
    self.listIsMuted = listIsMuted
    self.relationshipNotLearned = relationshipNotLearned
  }

  /// Kinds of facts.
  package struct Parts: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The account's own follow records.
    package static let follows = Parts(rawValue: 1)
    /// The account's own block records.
    package static let blocks = Parts(rawValue: 2)
    /// The account's own `listblock` records.
    package static let listBlocks = Parts(rawValue: 4)
    /// How accounts are muted.
    package static let mutes = Parts(rawValue: 8)
    /// Whether lists are muted.
    package static let listMutes = Parts(rawValue: 16)
    /// The account's own lists.
    package static let lists = Parts(rawValue: 32)
    /// The account's own list items.
    package static let listItems = Parts(rawValue: 64)
  }
}

/// The facts about an own list before it is changed, from the repository.
package struct ListFacts: Sendable, Hashable {
  /// The list, and the lists that have its new name.
  package var lists: [OwnList]
  /// The records that put the account on it, or all of them if the change is about the list itself; nil if
  /// unknown.
  package var items: [OwnRecord]?

  /// Creates facts.
  package init(lists: [OwnList], items: [OwnRecord]? = nil) {
    self.lists = lists
    self.items = items
  }
}

extension OwnLists {
  /// Returns the list that a change is about, and the others that have its new name.
  func about(_ change: ListChange) -> [OwnList] {
    let name: String? =
      switch change {
      case .create(_, let draft): draft.name
      case .edit(_, let edit): edit.name
      case .delete, .clear, .add, .remove: nil
      }
    return (self[change.list].map { [$0] } ?? [])
      + (name.map { named($0).filter { $0.uri != change.list } } ?? [])
  }
}

extension OwnList {
  /// Creates a list that does not exist yet.
  init(uri: ATURI, expected draft: ListDraft) {
    self.init(
      uri: uri, value: ["name": .string(draft.name), "purpose": .string(draft.purpose.name)])
  }
}
