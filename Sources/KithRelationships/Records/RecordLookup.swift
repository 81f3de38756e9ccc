// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// Finds many records of a repository by name, without authentication.
///
/// Recently created records are together on the newest pages of `listRecords`, up to 100 per call. Each
/// collection is listed from its beginning while that is cheaper than one `getRecord` per missing record;
/// the remaining records are requested one by one.
package struct RecordLookup: Sendable {
  /// Concurrent requests for single records.
  private static let lanes = 8

  private let reader: RecordReader

  /// Creates a lookup that uses a client of the repository's PDS.
  package init(of repository: DID, client: XRPCClient) {
    reader = RecordReader(of: repository, client: client)
  }

  /// The most pages read for this many records of a collection if none of the pages helps.
  package static func mostPages(for count: Int) -> Int {
    count > RecordSearch.readsPerPage
      ? (count + RecordSearch.readsPerPage - 1) / RecordSearch.readsPerPage : 0
  }

  /// The values of the named records; records that certainly do not exist are left out.
  ///
  /// A record that exists but whose value is not valid in the data model is `null`.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    var found: [RecordName: DataValue] = [:]
    var remaining: [RecordName] = []
    for (collection, names) in Dictionary(grouping: names, by: \.collection) {
      var search = RecordSearch(names.map(\.rkey))
      try await list(collection, for: &search)
      for (rkey, value) in search.found { found[RecordName(rkey, in: collection)] = value }
      remaining += search.open.map { RecordName($0, in: collection) }
    }
    return found.merging(try await each(remaining)) { first, _ in first }
  }

  /// The values of the named records, each requested by its key regardless of listings; absent records are
  /// left out.
  ///
  /// - Throws: like ``records(_:)``.
  package func each(_ names: some Collection<RecordName> & Sendable) async throws -> [RecordName: DataValue] {
    let names = Array(names)
    let values = try await names.concurrentMap(atMost: Self.lanes) {
      try await reader.find($0.rkey, in: $0.collection, reading: PresentRecord.self)?.value
    }
    var found: [RecordName: DataValue] = [:]
    for (name, value) in zip(names, values) { found[name] = value }
    return found
  }

  private func list(_ collection: NSID, for search: inout RecordSearch) async throws {
    var pages = reader.rows(in: collection, reading: DataValue.self) { [repository = reader.repository] row in
      (rkey: row.rkey(in: collection, of: repository), value: row.content ?? .null)
    }
    .makeAsyncIterator()
    do {
      // After the last page, receiving the end costs nothing.
      while search.isWorthAPage || pages.isAtEnd {
        guard let page = try await pages.nextPage() else { return search.end() }
        search.add(page)
      }
    } catch let error as RepositoryError where error.code == .invalidResponse {
      // An unreadable page, or cursors that go in circles, prove nothing about single records.
    }
  }
}

/// The search for records of one collection in a listing.
struct RecordSearch {
  /// The cost of a page in single-record calls: it is far larger, and pages are sequential while single
  /// calls are concurrent.
  static let readsPerPage = 3

  /// The found records and their values.
  private(set) var found: [RecordKey: DataValue] = [:]
  /// The records whose existence is still unknown.
  private(set) var open: Set<RecordKey>
  private var pages = 0
  /// The last key, while keys are in descending order.
  private var lowest: String?
  private var rows = 0
  private var isDescending = true

  init(_ keys: some Sequence<RecordKey>) { open = Set(keys) }

  /// Whether another page is cheaper than requesting the records one by one. Pages without matches have
  /// cost no more than that so far.
  var isWorthAPage: Bool { open.count > Self.readsPerPage * max(1, pages) }

  /// Processes a page: for each row its key, nil if there is none, and its value.
  mutating func add(_ page: [(rkey: RecordKey?, value: DataValue)]) {
    pages += 1
    for (rkey, value) in page {
      follow(rkey)
      if let rkey, open.remove(rkey) != nil { found[rkey] = value }
    }
    // Ascending order proves nothing: a server that lists in the order of writing shows it too, until a
    // record is written again under an old key.
    guard isDescending, rows > 1, let lowest else { return }
    open = open.filter { "\($0)" < lowest }
  }

  /// Processes the end of the listing: records that were not found do not exist.
  mutating func end() { open = [] }

  private mutating func follow(_ rkey: RecordKey?) {
    rows += 1
    guard isDescending, let key = rkey?.description, lowest.map({ key < $0 }) ?? true else {
      isDescending = false
      return
    }
    lowest = key
  }
}

/// An existing record, whether its value is valid or not.
struct PresentRecord: RecordFinding {
  let uri: ATURI
  let value: DataValue

  private enum CodingKeys: CodingKey { case uri, value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    value = (try? container.decode(DataValue.self, forKey: .value)) ?? .null
  }
}
