// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// The facts that changes are planned with, for many subjects at once.
package struct PlanningFacts: Sendable {
  /// The account's own records of edges, by kind, without list items; nil for a kind that was not asked for.
  package var edges: [EdgeKind: OwnEdges] = [:]
  /// The account's own lists; nil if not asked for.
  package var lists: OwnLists?
  /// The account's own list items; nil if not asked for.
  package var listItems: OwnListItems?
  /// All own records of the collections without edges that were needed.
  package var records: [NSID: [OwnRecord]] = [:]
  /// The contents of own records that were looked up by name; nil for one that does not exist.
  package var named: [RecordName: DataValue?] = [:]
  /// Those of ``named`` that are reactions, by what they say, in the order of their keys.
  private var reactions: [RecordEdge: [OwnRecord]] = [:]
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

  /// Returns those of the records that were not looked up and whose collection was not listed, so that their existence
  /// is unknown.
  package func unlisted(among writes: some Sequence<RecordWrite>) -> Set<RecordName> {
    Set(
      writes.map(\.name).filter { !listedCollections.contains($0.collection) && !named.keys.contains($0) })
  }

  /// Adds own records that were looked up by name.
  ///
  /// - Parameter found: those that exist.
  mutating func add(_ names: Set<RecordName>, found: [RecordName: DataValue]) {
    for name in names.sorted(by: { "\($0)" < "\($1)" }) {
      named.updateValue(found[name], forKey: name)
      guard let value = found[name], EdgeKind(of: name.collection)?.target == .post,
        let edge = RecordEdge(value, in: name.collection)
      else { continue }
      reactions[edge, default: []].append(OwnRecord(rkey: name.rkey, value: value))
    }
  }

  /// The facts about the subject of a change.
  package subscript(change: ChangeIntent) -> SubjectFacts {
    if case .list(let change) = change { return self[change] }
    if change.needs.contains(.named) {
      var known = SubjectFacts(named: named.filter { change.recordsNeeded.contains($0.key) })
      if case .posts(let change) = change, let edge = change.edge {
        known.edges[edge.kind] = reactions[edge] ?? []
      }
      return known
    }
    if case .edge(let edge, let wanted) = change, let account = edge.account, let list = edge.list {
      return facts(about: account, on: list, isAdded: wanted.makesRecord)
    }
    if case .profile = change { return SubjectFacts(records: records) }
    if let account = change.account {
      return SubjectFacts(
        edges: edges.filter { $0.key.target == .account }.mapValues { $0[account] },
        records: records, relationship: relationships[account], mute: mutes[account],
        relationshipNotLearned: relationshipsNotLearned.contains(account))
    }
    guard let list = change.list else { return SubjectFacts() }
    return SubjectFacts(
      edges: edges.filter { $0.key.target == .list }.mapValues { $0[blocked: list] },
      listIsMuted: listMutes[list])
  }

  private subscript(change: ListChange) -> SubjectFacts {
    SubjectFacts(
      edges: edges.filter { $0.key.target == .list }.mapValues { $0[change.list] },
      list: lists.map { ListFacts(lists: $0.about(change), items: listItems?[change.list]) })
  }

  private func facts(about account: DID, on list: ATURI, isAdded: Bool) -> SubjectFacts {
    SubjectFacts(
      list: lists.map { lists in
        let known = lists[list] ?? (isAdded ? expectedLists[list] : nil)
        return ListFacts(lists: [known].compactMap(\.self), items: listItems?[list, account])
      },
      relationship: relationships[account])
  }

  /// The account's own records in these collections whose subject cannot be read.
  package var unreadable: MalformedRecords {
    edges.sorted { "\($0.key.collection)" < "\($1.key.collection)" }
      .reduce(MalformedRecords()) { $0 + $1.value.unreadable } + lists?.unreadable + listItems?.unreadable
  }
}

extension OwnEdges {
  /// The records that block a list, which is named by its own URI or by that of one of the records (Q6).
  fileprivate subscript(blocked list: ATURI) -> [OwnRecord] {
    guard list.collection == .listblock, let rkey = list.recordKey else { return self[list] }
    return self.list(of: rkey).map { self[$0] } ?? []
  }
}

/// The facts about one account or list; nil means unknown.
package struct SubjectFacts: Sendable, Hashable {
  /// The account's own records of edges to the account or list, by kind, from the repository. For a post, only those
  /// that were looked up.
  package var edges: [EdgeKind: [OwnRecord]] = [:]
  /// An own list and its members, from the repository.
  package var list: ListFacts?
  /// All own records of collections without edges; nil for one that was not read.
  package var records: [NSID: [OwnRecord]] = [:]
  /// The contents of own records by name; nil for one that does not exist.
  package var named: [RecordName: DataValue?] = [:]
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
    edges: [EdgeKind: [OwnRecord]] = [:], list: ListFacts? = nil, records: [NSID: [OwnRecord]] = [:],
    named: [RecordName: DataValue?] = [:], relationship: RelationshipInfo? = nil, mute: MuteState? = nil,
    listIsMuted: Bool? = nil, relationshipNotLearned: Bool = false
  ) {
    self.edges = edges
    self.list = list
    self.records = records
    self.named = named
    self.relationship = relationship
    self.mute = mute
    self.listIsMuted = listIsMuted
    self.relationshipNotLearned = relationshipNotLearned
  }

  /// A kind of facts.
  package enum Part: Sendable, Hashable {
    /// The account's own records of a kind.
    case edges(EdgeKind)
    /// How accounts are muted.
    case mutes
    /// Whether lists are muted.
    case listMutes
    /// The account's own lists.
    case lists
    /// All records of a collection without edges.
    case records(NSID)
    /// Single records, by their names.
    case named
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
      case .delete, .clear: nil
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
