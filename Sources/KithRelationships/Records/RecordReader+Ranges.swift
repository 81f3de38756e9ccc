// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

extension RecordReader {
  /// The most pages of a collection that are requested at once.
  static let mostPagesAtOnce = 16

  private typealias Page = RangedListing<ListedRow>.Page
  private typealias Fetched = (request: RangedListing<ListedRow>.Request, page: Page)

  /// A whole collection: in ranges of keys at the same time if the server's cursors are keys, otherwise one page
  /// after the other.
  ///
  /// - Parameter read: called for each page with the number of its records.
  /// - Throws: like ``records(_:)``.
  func collection(
    _ collection: NSID, reading read: @escaping @Sendable (Int) -> Void
  ) async throws -> OwnCollection {
    var listing = RangedListing<ListedRow>(
      of: collection, lanes: Self.mostPagesAtOnce,
      times: Instant.networkBegan...max(Instant.networkBegan, client.time.instant))
    var firstPage: Page?
    do {
      try await withThrowingTaskGroup(of: Fetched.self) { group in
        func begin(_ listing: inout RangedListing<ListedRow>) {
          while let request = listing.next() {
            group.addTask { (request, try await page(of: collection, request)) }
          }
        }
        begin(&listing)
        while let (request, page) = try await group.next() {
          read(page.rows.count)
          firstPage = firstPage ?? page
          try listing.received(page, for: request)
          begin(&listing)
        }
      }
      var whole = OwnCollection(listing.rows, of: repository, in: collection)
      whole.prefixOfAscendingCursors = listing.prefixOfAscendingCursors
      return whole
    } catch RangedListing<ListedRow>.Obstacle.opaqueCursors(let next) {
      let first = firstPage?.rows.map(\.row) ?? []
      return try await sequentialCollection(collection, after: first, cursor: next, reading: read)
    } catch is RangedListing<ListedRow>.Obstacle {
      return try await sequentialCollection(collection, reading: read)
    }
  }

  private func sequentialCollection(
    _ collection: NSID, after first: [ListedRow] = [], cursor: String? = nil, reading read: (Int) -> Void
  ) async throws -> OwnCollection {
    var pages = rows(
      in: collection, reading: DataValue.self, from: cursor, mostPages: PaginationGuard.mostPagesOfEdges
    ) { [repository] row in
      ListedRow(row, of: repository, in: collection)
    }.makeAsyncIterator()
    var all = first
    while let page = try await pages.nextPage() {
      all += page
      read(page.count)
    }
    return OwnCollection(all, of: repository, in: collection)
  }

  /// - Throws: ``RangedListing/Obstacle`` if the server does not understand a cursor that it did not send;
  ///   ``RepositoryError``, `CancellationError`.
  private func page(
    of collection: NSID, _ request: RangedListing<ListedRow>.Request
  ) async throws -> Page {
    do {
      return try await page(of: collection, from: request.cursor)
    } catch let error as XRPCError {
      if request.isMadeUp, !error.isTransient { throw RangedListing<ListedRow>.Obstacle.gap }
      throw RepositoryError(asking: error)
    }
  }

  private func page(of collection: NSID, from cursor: String?) async throws -> Page {
    typealias Method = Com.Atproto.Repo.ListRecords
    let parameters = Method.Parameters(
      repo: .did(repository), collection: collection, limit: Self.pageSize, cursor: cursor)
    let page = try await client.query(Method.self, parameters, reading: RecordPage<DataValue>.self)
    let rows = page.rows.map { ListedRow($0, of: repository, in: collection) }
    return Page(rows: rows.map { ($0.rkey, $0) }, cursor: page.cursor.flatMap { $0.isEmpty ? nil : $0 })
  }

  /// The latest records of a collection, up to ``pageSize``; one call.
  ///
  /// - Returns: nil if the server has more and does not list the newest key first.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func latest(in collection: NSID) async throws -> [KeptRecord]? {
    let page: Page
    do { page = try await self.page(of: collection, from: nil) } catch let error as XRPCError {
      throw RepositoryError(asking: error)
    }
    let keys = page.rows.compactMap { $0.key?.description }
    guard page.cursor == nil || keys == keys.sorted(by: >) else { return nil }
    return page.rows.compactMap { key, row in key.map { KeptRecord($0, row.value, in: collection) } }
  }

  /// The records behind a key, on a server that lists the oldest key first and whose cursors are keys.
  ///
  /// - Parameters:
  ///   - start: a key that the server has listed; nil for the beginning.
  ///   - prefix: what stands before a key in the server's cursors; nil if that is not known.
  /// - Returns: the records, and what stands before a key if there was more than one page; nil if the server turns
  ///   out to be another one.
  /// - Throws: `XRPCError`, `CancellationError`.
  func records(
    behind start: RecordKey?, in collection: NSID, cursorPrefix: String?
  ) async throws -> (records: [KeptRecord], cursorPrefix: String?)? {
    var (records, prefix): ([KeptRecord], String?) = ([], cursorPrefix)
    var (cursor, last) = (start.flatMap { key in prefix.map { "\($0)\(key)" } }, start)
    for _ in 0..<PaginationGuard.mostPagesOfEdges {
      let page = try await page(of: collection, from: cursor)
      let before = records.count
      for (key, row) in page.rows where key == nil || key != last {
        guard let key, last.map({ $0.description < key.description }) ?? true else { return nil }
        last = key
        records.append(KeptRecord(key, row.value, in: collection))
      }
      guard let next = page.cursor, records.count > before, let key = last?.description else {
        return (records, prefix)
      }
      prefix = KeyCursor.prefix(of: next, at: key, in: collection)
      if prefix == nil { return nil }
      cursor = next
    }
    return nil
  }
}

/// One row of a listing, whatever its content.
struct ListedRow: Sendable {
  /// The URI as received, truncated to 256 bytes.
  let uri: String
  /// The key; nil if it is not a record of the collection.
  let rkey: RecordKey?
  /// The value; nil if it is not valid in the data model.
  let value: DataValue?

  init(_ row: RecordPage<DataValue>.Row, of repository: DID, in collection: NSID) {
    uri = row.uri.shortened(toBytes: 256)
    rkey = row.rkey(in: collection, of: repository)
    value = row.content
  }

  /// The row, without what cannot be read, to look at and not to write it again.
  init(_ row: RecordPage<ReadableValue>.Row, of repository: DID, in collection: NSID) {
    uri = row.uri.shortened(toBytes: 256)
    rkey = row.rkey(in: collection, of: repository)
    value = row.content?.value
  }

  /// The row as one that is not a record of the collection.
  func malformed(in collection: NSID, of repository: DID) -> MalformedRecord {
    MalformedRecord(uri: uri, rkey: nil, value: nil, reason: "not a record of \(collection) in \(repository)")
  }
}

extension OwnCollection {
  /// Creates a whole collection; a key that a server has repeated counts once.
  init(_ rows: [ListedRow], of repository: DID, in collection: NSID) {
    var keys: Set<RecordKey> = []
    for row in rows {
      guard let rkey = row.rkey else {
        unreadable.append(row.malformed(in: collection, of: repository))
        continue
      }
      if keys.insert(rkey).inserted { records.append(KeptRecord(rkey, row.value, in: collection)) }
    }
  }
}
