// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The follows, blocks and lists of all accounts, as an AppView has indexed them so far.
///
/// It starts as the network was generated and changes with the records. Accounts are numbered as in the
/// network, followed by DIDs and lists that only appear in records.
struct LiveGraph: Sendable {
  let network: SandboxNetwork
  var standings: AccountStatuses
  /// Accounts of the network that the AppView never indexes.
  let unindexed: Set<Int>
  private(set) var follows: LiveEdges
  private(set) var blocks: LiveEdges
  private(set) var listBlocks: LiveEdges
  private(set) var listItems: LiveEdges
  /// What no AppView indexes, but a backlink index does.
  var otherLinks: OtherLinks
  /// The posts and reactions that were written.
  private(set) var writtenPosts = WrittenPosts()
  /// The profile records that were written.
  private(set) var profiles: [Int: DataValue] = [:]

  /// DIDs that are not in the network.
  private var indexesByStranger: [DID: Int] = [:]
  /// Lists that are not in the network, and changed lists of the network; nil for one that is deleted or was
  /// never there.
  private var lists: [Int: LiveList?] = [:]
  private var laterLists: [ATURI] = []
  private var indexesByLaterList: [ATURI: Int] = [:]
  private var laterListsByOwner: [Int: [Int]] = [:]
  /// Starter packs that were written; nil for a deleted one.
  private var packs: [ATURI: LivePack?] = [:]

  init(_ network: SandboxNetwork, unindexed: Set<Handle> = []) {
    self.network = network
    self.unindexed = Set(unindexed.compactMap { network.index(of: $0) })
    standings = AccountStatuses(network)
    follows = LiveEdges(network.follows)
    blocks = LiveEdges(network.blocks)
    listBlocks = LiveEdges(network.listBlocks)
    listItems = LiveEdges(network.listItems)
    otherLinks = OtherLinks(network)
  }

  func index(of did: DID) -> Int? {
    network.index(of: did) ?? (indexesByStranger.isEmpty ? nil : indexesByStranger[did])
  }

  /// Whether the account is in the network, active and indexed.
  func isShown(_ index: Int) -> Bool {
    index < network.dids.count && standings.status(at: index) == .active && !unindexed.contains(index)
  }

  // MARK: Lists

  func index(ofList uri: ATURI) -> Int? {
    network.index(ofList: uri) ?? indexesByLaterList[uri]
  }

  /// A list, unless its record is deleted or was never seen.
  func list(at index: Int) -> LiveList? {
    if let changed = lists[index] { return changed }
    return index < network.lists.count ? network.liveList(at: index) : nil
  }

  /// Whether it is a moderation list.
  func isModeration(list index: Int) -> Bool {
    if let changed = lists[index] { return changed?.isModeration == true }
    return index < network.lists.count && network.lists[index].isModeration
  }

  func uri(ofList index: Int) -> ATURI {
    index < network.lists.count ? network.uri(ofList: index) : laterLists[index - network.lists.count]
  }

  /// The lists of an account, newest first.
  func lists(of owner: Int) -> [Int] {
    let made = network.lists(of: owner) + (laterListsByOwner[owner] ?? [])
    return made.filter { list(at: $0) != nil }.sorted { key(ofList: $0) > key(ofList: $1) }
  }

  private func key(ofList index: Int) -> String { uri(ofList: index).recordKey?.description ?? "" }

  /// A starter pack, unless its record is deleted or was never seen.
  func pack(_ uri: ATURI) -> LivePack? {
    packs[uri] ?? network.starterPacks.first { $0.uri == uri }
  }

  /// The starter packs of an account, newest first.
  func packs(of owner: Int) -> [LivePack] {
    let made = network.starterPacks.filter { packs[$0.uri] == nil } + packs.values.compactMap { $0 }
    return made.filter { $0.owner == owner }.sorted { $0.uri.description > $1.uri.description }
  }

  // MARK: Changes

  /// Applies a record change. Invalid records are ignored, as AppViews do.
  mutating func apply(_ change: RecordChange) {
    switch change.collection {
    case App.Bsky.Graph.Follow.nsid: move(\.follows, by: change) { graph, value in graph.subject(of: value) }
    case App.Bsky.Graph.Block.nsid: move(\.blocks, by: change) { graph, value in graph.subject(of: value) }
    case App.Bsky.Graph.Listblock.nsid: move(\.listBlocks, by: change) { $0.list(in: $1["subject"]) }
    case App.Bsky.Graph.Listitem.nsid: moveItem(by: change)
    case App.Bsky.Graph.List.nsid: moveList(by: change)
    case App.Bsky.Graph.Starterpack.nsid:
      packs[uri(of: change)] = .some(LivePack(change, uri: uri(of: change)))
    case App.Bsky.Actor.Profile.nsid where change.key == .literalSelf:
      profiles[change.account] = change.written?.value ?? .object([:])
    case let collection where WrittenPosts.collections.contains(collection):
      let value = change.written?.value ?? change.former ?? .null
      writtenPosts.apply(change, at: uri(of: change), moment: Self.moment(of: value, change))
    default: otherLinks.apply(change)
    }
  }

  private func uri(of change: RecordChange) -> ATURI {
    network.uri(of: SandboxRecordName(collection: change.collection, key: change.key), in: change.account)
  }

  private mutating func move(
    _ edges: WritableKeyPath<LiveGraph, LiveEdges>, by change: RecordChange,
    to column: (inout LiveGraph, DataValue) -> Int?
  ) {
    if let former = change.former, let column = column(&self, former) {
      self[keyPath: edges].remove(
        from: change.account, to: column, key: change.key, at: change.moment)
    }
    if let value = change.written?.value, let column = column(&self, value) {
      self[keyPath: edges].insert(
        from: change.account, to: column, key: change.key, moment: Self.moment(of: value, change))
    }
  }

  /// Only the owner of a list can add accounts to it.
  private mutating func moveItem(by change: RecordChange) {
    let owner = ATIdentifier.did(network.dids[change.account])
    func ends(_ value: DataValue?, in graph: inout LiveGraph) -> (list: Int, subject: Int)? {
      guard let value, let uri = value["list"]?.string.flatMap({ ATURI($0) }),
        uri.authority == owner, let list = graph.list(in: value["list"]),
        let subject = graph.subject(of: value)
      else { return nil }
      return (list, subject)
    }
    if let former = ends(change.former, in: &self) {
      listItems.remove(from: former.list, to: former.subject, key: change.key, at: change.moment)
    }
    if let value = change.written?.value, let item = ends(value, in: &self) {
      listItems.insert(
        from: item.list, to: item.subject, key: change.key, moment: Self.moment(of: value, change))
    }
  }

  private mutating func moveList(by change: RecordChange) {
    let uri = uri(of: change)
    let index = intern(list: uri)
    lists[index] = .some(LiveList(change, uri: uri))
    if index >= network.lists.count, laterListsByOwner[change.account]?.contains(index) != true {
      laterListsByOwner[change.account, default: []].append(index)
    }
  }

  /// AppViews order by the date in the record, or by when they saw it if that is earlier.
  private static func moment(of value: DataValue, _ change: RecordChange) -> Instant {
    let claimed = value["createdAt"]?.string.flatMap { Datetime($0) }?.instant
    return min(claimed ?? change.moment, change.moment)
  }

  private mutating func subject(of value: DataValue) -> Int? {
    value["subject"]?.string.flatMap { DID($0) }.map { number(of: $0) }
  }

  /// The number of a DID; assigns one if it has none.
  mutating func number(of did: DID) -> Int {
    if let index = index(of: did) { return index }
    let index = network.dids.count + indexesByStranger.count
    indexesByStranger[did] = index
    return index
  }

  private mutating func list(in value: DataValue?) -> Int? {
    value?.string.flatMap { ATURI($0) }.map { intern(list: $0) }
  }

  private mutating func intern(list uri: ATURI) -> Int {
    if let index = index(ofList: uri) { return index }
    let index = network.lists.count + laterLists.count
    laterLists.append(uri)
    indexesByLaterList[uri] = index
    return index
  }
}
