// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension SandboxNetwork {
  /// The URI of a record of an account.
  func uri(of name: SandboxRecordName, in account: Int) -> ATURI {
    ATURI(authority: .did(dids[account]), collection: name.collection, recordKey: name.key)
  }

  /// The collections in which accounts have initial records.
  static let collections: [NSID] = [
    App.Bsky.Actor.ContentVisibilityDeclaration.nsid, App.Bsky.Actor.Profile.nsid,
    App.Bsky.Graph.Block.nsid, App.Bsky.Graph.Follow.nsid, App.Bsky.Graph.List.nsid,
    App.Bsky.Graph.Listblock.nsid, App.Bsky.Graph.Listitem.nsid, App.Bsky.Graph.Starterpack.nsid,
  ]

  /// The initial records of an account, by ascending key.
  func records(of account: Int, in collection: NSID) -> [RecordTable.Entry] {
    switch collection {
    case App.Bsky.Actor.Profile.nsid:
      [RecordTable.Entry(key: .literalSelf, record: .profile(account))]
    case App.Bsky.Actor.ContentVisibilityDeclaration.nsid:
      asksToBeLeftOut(account) ? [RecordTable.Entry(key: .literalSelf, record: .written(Self.request))] : []
    case App.Bsky.Graph.Follow.nsid: entries(follows, from: account) { .follow($0) }
    case App.Bsky.Graph.Block.nsid: entries(blocks, from: account) { .block($0) }
    case App.Bsky.Graph.Listblock.nsid: entries(listBlocks, from: account) { .listBlock($0) }
    case App.Bsky.Graph.Listitem.nsid:
      lists(of: account).flatMap { entries(listItems, from: $0) { .listItem($0) } }
        .sorted { $0.key.description < $1.key.description }
    case App.Bsky.Graph.List.nsid:
      lists(of: account).map { entry(ofList: $0, .list($0)) }
    case App.Bsky.Graph.Starterpack.nsid:
      listsOfPacks.filter { lists[$0].owner == account }.map { entry(ofList: $0, .starterPack($0)) }
    default: OtherApps.records(of: account, in: self)[collection] ?? []
    }
  }

  /// The content of a record.
  func content(of record: StoredRecord) -> WrittenRecord {
    switch record {
    case .written(let written): written
    case .follow(let edge):
      link(App.Bsky.Graph.Follow.nsid, follows, edge, to: dids[follows.column(of: edge)])
    case .block(let edge): link(App.Bsky.Graph.Block.nsid, blocks, edge, to: dids[blocks.column(of: edge)])
    case .listBlock(let edge):
      link(App.Bsky.Graph.Listblock.nsid, listBlocks, edge, to: uri(ofList: listBlocks.column(of: edge)))
    case .listItem(let edge):
      link(
        App.Bsky.Graph.Listitem.nsid, listItems, edge, to: dids[listItems.column(of: edge)],
        fields: ["list": .string(uri(ofList: listItems.row(of: edge)).description)])
    case .list(let list): content(ofList: list)
    case .starterPack(let list): content(ofPack: list)
    case .profile(let account): profile(of: account)
    case .post(let post, let timeline): WrittenRecord(timeline.content(of: post), cid: post.cid)
    }
  }

  /// Whether an account asks to be left out of recommendations: Heidi does, and one stranger in twenty.
  private func asksToBeLeftOut(_ account: Int) -> Bool {
    if let member = NamedAccount(rawValue: account) { return member == .heidi }
    return SplitMix64.mix(SplitMix64.mix(configuration.seed &+ 9) &+ UInt64(account)) % 20 == 0
  }

  private static let request = WrittenRecord([
    "$type": .string(App.Bsky.Actor.ContentVisibilityDeclaration.nsid.description),
    "hideFromAlgorithmicRecommendations": .bool(true),
  ])

  /// The lists that have a starter pack: grace's book people.
  var listsOfPacks: [Int] { [NetworkList.Plot.pack.rawValue] }

  private func entries(
    _ table: EdgeTable, from row: Int, as record: (EdgeTable.Edge) -> StoredRecord
  ) -> [RecordTable.Entry] {
    table.edges(from: row).reversed().map { edge in
      RecordTable.Entry(
        key: Identities.key(microseconds: table.microseconds(of: Int(edge))), record: record(Int(edge)))
    }
  }

  /// A list and its starter pack have the same key in their collections.
  private func entry(ofList list: Int, _ record: StoredRecord) -> RecordTable.Entry {
    RecordTable.Entry(key: Identities.key(microseconds: UInt64(list)), record: record)
  }

  /// The commit that created a list, or its starter pack.
  func creation(ofList list: Int, _ collection: NSID, _ record: StoredRecord) -> RecordChange {
    RecordChange(
      account: lists[list].owner, collection: collection, key: entry(ofList: list, record).key,
      former: nil, written: content(of: record),
      moment: Identities.listsMadeAt.instant)
  }

  private func link(
    _ collection: NSID, _ table: EdgeTable, _ edge: EdgeTable.Edge, to subject: some CustomStringConvertible,
    fields: DataObject = [:]
  ) -> WrittenRecord {
    let moment = Identities.moment(table.microseconds(of: edge))
    var object = fields
    object["$type"] = .string(collection.description)
    object["subject"] = .string(subject.description)
    object["createdAt"] = .string(Datetime(at: moment).description)
    return WrittenRecord(.object(object))
  }

  private func content(ofList list: Int) -> WrittenRecord {
    let purpose =
      switch lists[list].purpose {
      case .moderation: App.Bsky.Graph.Defs.modlist
      case .curation: App.Bsky.Graph.Defs.curatelist
      case .reference: App.Bsky.Graph.Defs.referencelist
      }
    return WrittenRecord([
      "$type": .string(App.Bsky.Graph.List.nsid.description), "name": .string(lists[list].name),
      "purpose": .string(purpose),
      "createdAt": .string(Identities.listsMadeAt.description),
    ])
  }

  private func content(ofPack list: Int) -> WrittenRecord {
    WrittenRecord([
      "$type": .string(App.Bsky.Graph.Starterpack.nsid.description), "name": .string(lists[list].name),
      "list": .string(uri(ofList: list).description),
      "createdAt": .string(Identities.listsMadeAt.description),
    ])
  }

  private func profile(of index: Int) -> WrittenRecord {
    let account = account(at: index)
    var object: DataObject = [
      "$type": .string(App.Bsky.Actor.Profile.nsid.description),
      "createdAt": .string(account.createdAt.description),
    ]
    if !account.displayName.isEmpty { object["displayName"] = .string(account.displayName) }
    if !account.biography.isEmpty { object["description"] = .string(account.biography) }
    return WrittenRecord(.object(object))
  }
}
