// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import ATProtoLexicons

/// What was learned before changes are planned, for many subjects at once.
public struct KnownGraph: Sendable {
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
  /// What kept it from learning more; the plans that want it say so for each subject.
  public var faults: [RelationshipError] = []

  /// Nothing is known.
  public init() {}

  /// What is known of the subject of a change.
  public subscript(change: GraphChange) -> GraphKnowledge {
    if case .list(let change) = change { return self[change] }
    if let account = change.account {
      return GraphKnowledge(
        follows: follows?[account], blocks: blocks?[account], relationship: relationships[account],
        mute: mutes[account])
    }
    guard let list = change.list else { return GraphKnowledge() }
    return GraphKnowledge(listBlocks: listBlocks.map { $0[blocked: list] }, listIsMuted: listMutes[list])
  }

  private subscript(change: ListChange) -> GraphKnowledge {
    let items = listItems.map { items in
      change.account.map { items[change.list, $0] } ?? items[change.list]
    }
    return GraphKnowledge(
      listBlocks: listBlocks?[change.list],
      list: lists.map { ListKnowledge(lists: about(change, $0), items: items) },
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
