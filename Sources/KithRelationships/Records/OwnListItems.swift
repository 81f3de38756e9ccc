// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// The account's own list items, by list and member, including duplicates (Q16).
package struct OwnListItems: Sendable {
  private var items: [ATURI: OwnEdges] = [:]
  /// Records with a readable list, but without a readable member.
  private var nameless: [ATURI: [OwnRecord]] = [:]
  /// Records without a readable list.
  package private(set) var unreadable = MalformedRecords()

  /// Creates an empty collection.
  package init() {}

  /// Reads the collection, which holds the items of all lists: one call per 100 items.
  ///
  /// For what looks at the records: values are without what cannot be read, and not to be written again.
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
    let collection = EdgeKind.listitem.collection
    let rows = RecordReader(of: repository, client: client).rows(
      in: collection, reading: ReadableValue.self, mostPages: PaginationGuard.mostPagesOfEdges
    ) { ListedRow($0, of: repository, in: collection) }
    for try await row in rows {
      if let rkey = row.rkey {
        insert(KeptRecord(rkey, row.value, in: collection), of: repository, on: lists, about: accounts)
      } else {
        unreadable.append(row.malformed(in: collection, of: repository))
      }
      read()
    }
  }

  /// Creates the items of a whole collection, as ``init(of:client:on:about:reading:)`` does.
  package init(
    _ collection: OwnCollection, of repository: DID, on lists: Set<ATURI>?, about accounts: Set<DID>? = nil
  ) {
    unreadable = collection.unreadable
    for record in collection.records { insert(record, of: repository, on: lists, about: accounts) }
  }

  /// The records that put an account on a list.
  package subscript(list: ATURI, account: DID) -> [OwnRecord] { items[list]?[account] ?? [] }

  /// The lists that have items.
  var lists: Set<ATURI> { Set(items.keys).union(nameless.keys) }

  /// Accounts with several records on a list (Q16).
  func duplicated(on list: ATURI) -> [DID] { items[list]?.duplicated.keys.compactMap { DID($0) } ?? [] }

  /// All records of a list.
  package subscript(list: ATURI) -> [OwnRecord] { (items[list]?.all ?? []) + (nameless[list] ?? []) }

  /// Adds a record, unless its list or account is not wanted.
  mutating func insert(
    _ record: KeptRecord, of repository: DID, on lists: Set<ATURI>?, about accounts: Set<DID>?
  ) {
    guard let list = record.value(in: .listitem)?["list"]?.string.flatMap({ ATURI($0) }) else {
      unreadable.append(record.malformed(in: .listitem, of: repository))
      return
    }
    guard lists?.contains(list) != false else { return }
    guard let account = record.subject.flatMap({ DID($0) }) else {
      nameless[list, default: []].append(OwnRecord(rkey: record.rkey, value: record.value(in: .listitem)))
      return
    }
    guard accounts?.contains(account) != false else { return }
    items[list, default: OwnEdges(.listitem)].insert(record, of: repository)
  }
}
