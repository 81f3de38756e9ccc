// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import ATProtoLexicons
public import Relationships

/// What was learned before changes are planned, for many subjects at once.
public struct PlanningFacts: Sendable {
  /// The own follow records; nil where nobody asked.
  public var follows: OwnEdges<App.Bsky.Graph.Follow>?
  /// The own block records; nil where nobody asked.
  public var blocks: OwnEdges<App.Bsky.Graph.Block>?
  /// The own records of blocked lists; nil where nobody asked.
  public var listBlocks: OwnEdges<App.Bsky.Graph.Listblock>?
  /// The own lists; nil where nobody asked.
  public var lists: OwnLists?
  /// The own records of who is on them; nil where nobody asked.
  public var listItems: OwnListItems?
  /// Lists that changes of the same plan make before others put somebody on them.
  public var expectedLists = OwnLists()
  /// What an AppView says of pairs.
  public var relationships: [DID: RelationshipInfo] = [:]
  /// How accounts are muted.
  public var mutes: [DID: MuteState] = [:]
  /// Which lists are muted.
  public var listMutes: [ATURI: Bool] = [:]
  /// Accounts that certainly do not exist, of those that were to be verified.
  public var nobody: Set<DID> = []
  /// What kept it from learning more; a plan that wants it says so in a note.
  public var faults: [RelationshipError] = []

  /// Accounts whose relationship was asked for and not learned, because of one of the faults.
  public var relationshipsNotLearned: Set<DID> = []
  /// Collections of the own repository that were listed to their end.
  public var listedCollections: Set<NSID> = []

  /// Nothing is known.
  public init() {}

  /// Of these records, those of which no listing has told whether they are there.
  public func unlisted(among writes: some Sequence<RecordWrite>) -> Set<RecordName> {
    Set(writes.map(\.name).filter { !listedCollections.contains($0.collection) })
  }

  /// What is known of the subject of a change.
  public subscript(change: ChangeIntent) -> SubjectFacts {
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

  /// Own records of these collections of which not even the subject can be read.
  public var unreadable: MalformedRecords {
    MalformedRecords() + follows?.unreadable + blocks?.unreadable + listBlocks?.unreadable
      + lists?.unreadable + listItems?.unreadable
  }
}

extension OwnEdges<App.Bsky.Graph.Listblock> {
  /// The records that block a list, named by its own address or by that of one of the records (Q6).
  fileprivate subscript(blocked list: ATURI) -> [OwnRecord] {
    guard list.collection == .listblock, let rkey = list.recordKey else { return self[list] }
    return subject(of: rkey).map { self[$0] } ?? []
  }
}

/// What is known of how things stand with one account or list. Nil is what was not learned.
public struct SubjectFacts: Sendable, Hashable {
  /// The own follow records that point to the account, from the repository itself.
  public var follows: [OwnRecord]?
  /// The own block records that point to the account, from the repository itself.
  public var blocks: [OwnRecord]?
  /// The own `listblock` records that point to the list, from the repository itself.
  public var listBlocks: [OwnRecord]?
  /// A list of the own repository, and who is on it.
  public var list: ListFacts?
  /// What an AppView says of the two accounts: it tells what is said, not what is done.
  public var relationship: RelationshipInfo?
  /// Whether that was asked for and not learned.
  public var relationshipNotLearned = false
  /// How the account is muted.
  public var mute: MuteState?
  /// Whether the list is muted.
  public var listIsMuted: Bool?

  /// Puts together what is known.
  public init(
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

  /// Kinds of knowledge.
  public struct Parts: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The own follow records.
    public static let follows = Parts(rawValue: 1)
    /// The own block records.
    public static let blocks = Parts(rawValue: 2)
    /// The own `listblock` records.
    public static let listBlocks = Parts(rawValue: 4)
    /// How accounts are muted.
    public static let mutes = Parts(rawValue: 8)
    /// Whether lists are muted.
    public static let listMutes = Parts(rawValue: 16)
    /// The own lists.
    public static let lists = Parts(rawValue: 32)
    /// The own records of who is on the own lists.
    public static let listItems = Parts(rawValue: 64)
  }
}

/// What is known of a list of one's own before it is changed, from the own repository itself.
public struct ListFacts: Sendable, Hashable {
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

extension OwnLists {
  /// What is known of the list that a change is about, and of others that have the name that it is to have.
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
  /// A list that is still to be made.
  init(uri: ATURI, expected draft: ListDraft) {
    self.init(
      uri: uri, value: ["name": .string(draft.name), "purpose": .string(draft.purpose.name)])
  }
}
