// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore
internal import KithLexicons

/// The lists in the account's own repository, not as indexed by an AppView.
package struct OwnLists: Sendable {
  /// The lists, in the order of the server.
  package private(set) var all: [OwnList] = []
  private var positions: [ATURI: Int] = [:]
  /// The places of the lists with a name. An account may have thousands of lists, and a file may name them
  /// all.
  private var places: [String: [Int]] = [:]
  /// Records that cannot be identified as lists of this repository.
  package private(set) var unreadable = MalformedRecords()

  /// Creates an empty collection.
  package init() {}

  /// Reads the collection: one call per 100 lists, and one more on most servers.
  ///
  /// - Throws: like ``RecordReader/records(_:)``.
  package init(of repository: DID, client: XRPCClient) async throws {
    let rows = RecordReader(of: repository, client: client).rows(
      in: .list, reading: ReadableValue.self, mostPages: PaginationGuard.mostPagesOfLists
    ) { row in
      (uri: row.uri.shortened(toBytes: 256), rkey: row.rkey(in: .list, of: repository), content: row.content)
    }
    for try await row in rows {
      if let rkey = row.rkey {
        insert(OwnList(uri: OwnList.uri(rkey, of: repository), readable: row.content))
      } else {
        let reason = "not a record of \(NSID.list) in \(repository)"
        unreadable.append(MalformedRecord(uri: row.uri, rkey: nil, value: nil, reason: reason))
      }
    }
  }

  /// Creates the lists of a whole collection, the newest key first.
  package init(_ collection: OwnCollection, of repository: DID) {
    unreadable = collection.unreadable
    for record in collection.records.sorted(by: { $0.rkey.description > $1.rkey.description }) {
      insert(
        OwnList(uri: OwnList.uri(record.rkey, of: repository), value: record.value(in: .list)))
    }
  }

  /// Adds a list, or replaces it.
  package mutating func insert(_ list: OwnList) {
    guard let position = positions[list.uri] else {
      positions[list.uri] = all.count
      if let name = list.name { places[name, default: []].append(all.count) }
      all.append(list)
      return
    }
    if let former = all[position].name, former != list.name {
      places[former]?.removeAll { $0 == position }
    }
    if let name = list.name, all[position].name != name {
      places[name] = ((places[name] ?? []) + [position]).sorted()
    }
    all[position] = list
  }

  /// The list with a URI.
  package subscript(uri: ATURI) -> OwnList? { positions[uri].map { all[$0] } }

  /// The lists with exactly this name.
  package func named(_ name: String) -> [OwnList] { (places[name] ?? []).map { all[$0] } }
}

/// A list in the account's own repository.
public struct OwnList: Sendable, Hashable {
  /// The list's URI.
  public let uri: ATURI
  /// The record's value, unchanged; nil if it is not valid in the data model, so that it cannot be written again.
  package let value: DataValue?
  /// The value, without what cannot be read.
  private let shown: DataValue?

  /// Creates a list.
  package init(uri: ATURI, value: DataValue?) {
    (self.uri, self.value, shown) = (uri, value, value)
  }

  /// Creates a list whose record may have parts that cannot be read, such as a picture.
  package init(uri: ATURI, readable: ReadableValue?) {
    (self.uri, shown) = (uri, readable?.value)
    value = readable?.isWhole == true ? readable?.value : nil
  }

  /// The URI of an account's list, whether it exists or not.
  package static func uri(_ rkey: RecordKey, of account: DID) -> ATURI {
    ATURI(authority: .did(account), collection: .list, recordKey: rkey)
  }

  /// The name; nil if the record has none.
  public var name: String? { shown?["name"]?.string }
  /// The purpose; nil if the record has none.
  public var purpose: ListPurpose? {
    shown?["purpose"]?.string.map(ListPurpose.init(name:))
  }
  /// The description.
  public var description: String? { shown?["description"]?.string }
  /// The creation date claimed by the author.
  public var createdAt: Datetime? { shown?["createdAt"]?.string.flatMap { Datetime($0) } }
}
