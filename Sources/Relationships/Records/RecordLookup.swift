// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
package import ATProtoCore

/// Finds many records of a repository by their names; nobody has to be signed in.
///
/// Records that were just made stand together on the newest pages of `listRecords`, up to 100 a call. So each
/// collection is listed from its beginning, as long as that is cheaper than one `getRecord` for each record that is
/// still to be found; the others are asked for singly.
package struct RecordLookup: Sendable {
  /// Records asked for at once.
  private static let lanes = 8

  private let reader: RecordReader

  /// Reads by the client's service, the PDS of the repository.
  package init(of repository: DID, client: XRPCClient) {
    reader = RecordReader(of: repository, client: client)
  }

  /// The most pages that are read for so many records of a collection, where none of them pays.
  package static func mostPages(for count: Int) -> Int {
    count > RecordSearch.readsPerPage
      ? (count + RecordSearch.readsPerPage - 1) / RecordSearch.readsPerPage : 0
  }

  /// What the named records say; those that are certainly absent are left out.
  ///
  /// A record whose value is none of the data model is `null`: it is there.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    var found: [RecordName: DataValue] = [:]
    var rest: [RecordName] = []
    for (collection, names) in Dictionary(grouping: names, by: \.collection) {
      var search = RecordSearch(names.map(\.rkey))
      try await list(collection, for: &search)
      for (rkey, value) in search.found { found[RecordName(rkey, in: collection)] = value }
      rest += search.open.map { RecordName($0, in: collection) }
    }
    return found.merging(try await each(rest)) { first, _ in first }
  }

  /// What the named records say, each asked for by its key, whatever listings show; those that are absent are left out.
  ///
  /// - Throws: as ``records(_:)``.
  func each(_ names: some Collection<RecordName> & Sendable) async throws -> [RecordName: DataValue] {
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
      // Once the end was seen, to hear of it costs nothing.
      while search.isWorthAPage || pages.isAtEnd {
        guard let page = try await pages.nextPage() else { return search.end() }
        search.take(page)
      }
    } catch let error as RepositoryError where error.code == .invalidResponse {
      // A page that cannot be read, or cursors that go in circles, say nothing about single records.
    }
  }
}

/// What a listing has told about the records of one collection that are looked for.
struct RecordSearch {
  /// What a page may cost, in calls for single records: it is far larger than those, and waits for the page before
  /// it, while they are made side by side.
  static let readsPerPage = 3

  /// The records that were found, and what they say.
  private(set) var found: [RecordKey: DataValue] = [:]
  /// Those of which nothing is known.
  private(set) var open: Set<RecordKey>
  private var pages = 0
  /// The last key, as long as each one was lower than the one before it.
  private var lowest: String?
  private var rows = 0
  private var isDescending = true

  init(_ keys: some Sequence<RecordKey>) { open = Set(keys) }

  /// Whether another page is cheaper than to ask for the records singly. Where pages have told nothing, they have
  /// cost no more than that by then.
  var isWorthAPage: Bool { open.count > Self.readsPerPage * max(1, pages) }

  /// Takes a page: the key of each row, nil where it has none, and what it says.
  mutating func take(_ page: [(rkey: RecordKey?, value: DataValue)]) {
    pages += 1
    for (rkey, value) in page {
      follow(rkey)
      if let rkey, open.remove(rkey) != nil { found[rkey] = value }
    }
    // The opposite order proves nothing: a server that lists in the order of writing shows it, too, until a record
    // is made again under an old key.
    guard isDescending, rows > 1, let lowest else { return }
    open = open.filter { "\($0)" < lowest }
  }

  /// Takes the end of the listing: what was not found is not there.
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

/// A record that is there, be its value sound or not.
private struct PresentRecord: RecordFinding {
  let uri: ATURI
  let value: DataValue

  private enum CodingKeys: CodingKey { case uri, value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    value = (try? container.decode(DataValue.self, forKey: .value)) ?? .null
  }
}
