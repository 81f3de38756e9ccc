// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// The own records that put accounts on lists, by their list and their account, duplicates included (Q16).
public struct OwnListItems: Sendable {
  private var items: [ATURI: OwnEdges<App.Bsky.Graph.Listitem>] = [:]
  /// Records of which the list can be read, but not whom they put on it.
  private var nameless: [ATURI: [OwnRecord]] = [:]
  /// Records of which not even the list can be read.
  public private(set) var unreadable = MalformedRecords()

  /// No items.
  public init() {}

  /// Lists the collection, which holds the items of all lists: a call for every 100 of them.
  ///
  /// - Parameters:
  ///   - lists: of which lists to keep the items in memory; nil for all, also those that are gone.
  ///   - accounts: whose items to keep; nil for everybody's.
  ///   - read: called for each record that was read.
  /// - Throws: as ``RecordReader/records(_:)``.
  public init(
    of repository: DID, client: XRPCClient, on lists: Set<ATURI>?, about accounts: Set<DID>? = nil,
    reading read: () -> Void = {}
  ) async throws {
    for try await row in RecordReader(of: repository, client: client).records(App.Bsky.Graph.Listitem.self) {
      insert(row, on: lists, about: accounts)
      read()
    }
  }

  /// The records that put an account on a list.
  public subscript(list: ATURI, account: DID) -> [OwnRecord] { items[list]?[account] ?? [] }

  /// The lists that records put accounts on.
  var lists: Set<ATURI> { Set(items.keys).union(nameless.keys) }

  /// The accounts that several records put on a list (Q16).
  func duplicated(on list: ATURI) -> [DID] { items[list]?.duplicated ?? [] }

  /// All records of a list.
  public subscript(list: ATURI) -> [OwnRecord] {
    let known = items[list]
    return (known?.subjects.flatMap { known?[$0] ?? [] } ?? []).sorted {
      $0.rkey.description < $1.rkey.description
    } + (nameless[list] ?? [])
  }

  /// Takes a row of a listing; one of no list or account that is wanted is passed over.
  mutating func insert(
    _ row: RecordRow<App.Bsky.Graph.Listitem>, on lists: Set<ATURI>?, about accounts: Set<DID>?
  ) {
    switch row {
    case .record(_, let record):
      guard lists?.contains(record.list) != false else { return }
      items[record.list, default: OwnEdges()].insert(row, ifAbout: accounts)
    case .malformed(let record):
      guard let rkey = record.rkey, let list = record.value?["list"]?.string.flatMap({ ATURI($0) }) else {
        unreadable.append(record)
        return
      }
      guard lists?.contains(list) != false else { return }
      if record.value?["subject"]?.string.flatMap({ DID($0) }) == nil {
        nameless[list, default: []].append(OwnRecord(rkey: rkey, value: record.value))
      } else {
        items[list, default: OwnEdges()].insert(row, ifAbout: accounts)
      }
    }
  }
}
