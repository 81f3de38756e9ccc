// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// The account's own list items, by list and member, including duplicates (Q16).
package struct OwnListItems: Sendable {
  private var items: [ATURI: OwnEdges<App.Bsky.Graph.Listitem>] = [:]
  /// Records with a readable list, but without a readable member.
  private var nameless: [ATURI: [OwnRecord]] = [:]
  /// Records without a readable list.
  package private(set) var unreadable = MalformedRecords()

  /// Creates an empty collection.
  package init() {}

  /// Reads the collection, which holds the items of all lists: one call per 100 items.
  ///
  /// - Parameters:
  ///   - lists: the lists whose items to keep in memory; nil for all, including deleted lists.
  ///   - accounts: the members whose items to keep; nil for all.
  ///   - read: called for each record that was read.
  /// - Throws: like ``RecordReader/records(_:)``.
  package init(
    of repository: DID, client: XRPCClient, on lists: Set<ATURI>?, about accounts: Set<DID>? = nil,
    reading read: () -> Void = {}
  ) async throws {
    for try await row in RecordReader(of: repository, client: client).records(App.Bsky.Graph.Listitem.self) {
      insert(row, on: lists, about: accounts)
      read()
    }
  }

  /// Creates the items of a whole collection, as ``init(of:client:on:about:reading:)`` does.
  package init(
    _ collection: OwnCollection, of repository: DID, on lists: Set<ATURI>?, about accounts: Set<DID>? = nil
  ) {
    unreadable = collection.unreadable
    for record in collection.records { insert(record.row(of: repository), on: lists, about: accounts) }
  }

  /// The records that put an account on a list.
  package subscript(list: ATURI, account: DID) -> [OwnRecord] { items[list]?[account] ?? [] }

  /// The lists that have items.
  var lists: Set<ATURI> { Set(items.keys).union(nameless.keys) }

  /// Accounts with several records on a list (Q16).
  func duplicated(on list: ATURI) -> [DID] { items[list]?.duplicated ?? [] }

  /// All records of a list.
  package subscript(list: ATURI) -> [OwnRecord] {
    let known = items[list]
    return (known?.subjects.flatMap { known?[$0] ?? [] } ?? []).sorted {
      $0.rkey.description < $1.rkey.description
    } + (nameless[list] ?? [])
  }

  /// Adds a row of a listing, unless its list or account is not wanted.
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
