// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// Reads the records of a repository, which is public.
public struct RecordReader: Sendable {
  /// The most records per page, according to the lexicon of `com.atproto.repo.listRecords`.
  package static let pageSize = 100

  let repository: DID
  let client: XRPCClient

  /// Creates a reader that uses a client of the repository's PDS.
  package init(of repository: DID, client: XRPCClient) {
    self.repository = repository
    self.client = client
  }

  // MARK: Listings

  /// All records of a collection, up to 100 per call.
  ///
  /// In the order of the server: the reference PDS returns the newest key first, another one the oldest. A
  /// malformed record is an element of its own.
  /// - Returns: a sequence that throws ``RepositoryError``: `refused` if there is no such repository (Q18),
  ///   `invalidResponse` if the cursors go in circles; and `CancellationError` when the task is cancelled.
  package func records<Record: LexiconRecord>(
    _ type: Record.Type = Record.self
  ) -> PagedSequence<RecordRow<Record>> {
    records(type, mostPages: PaginationGuard.mostPagesOfEdges)
  }

  func records<Record: LexiconRecord>(
    _ type: Record.Type, mostPages: Int
  ) -> PagedSequence<RecordRow<Record>> {
    rows(in: Record.nsid, reading: type, mostPages: mostPages) { [repository] in $0.row(of: repository) }
  }

  /// The rows of a collection, each converted to an element.
  func rows<Record: Decodable & Sendable, Element>(
    in collection: NSID, reading type: Record.Type, from start: String? = nil,
    mostPages: Int = PaginationGuard.mostPagesOfEdges,
    _ element: @escaping @Sendable (RecordPage<Record>.Row) -> Element
  ) -> PagedSequence<Element> {
    typealias Method = Com.Atproto.Repo.ListRecords
    return PagedSequence(
      .init(start: start, mostPages: mostPages, endsWithEmptyPage: true) { [repository, client] cursor, _ in
        let parameters = Method.Parameters(
          repo: .did(repository), collection: collection, limit: Self.pageSize, cursor: cursor)
        do {
          let page = try await client.query(Method.self, parameters, reading: RecordPage<Record>.self)
          return .init(rows: page.rows.map { ($0.uri.hashValue, element($0)) }, cursor: page.cursor)
        } catch let error as XRPCError {
          throw RepositoryError(asking: error)
        }
      } fault: {
        RepositoryError(.invalidResponse, detail: "\(Method.nsid): cursor: \($0)")
      })
  }

  /// The members of a list in the repository: complete, current, and including duplicates (Q16).
  ///
  /// The items of all lists are in one collection, so this takes one call per 100 items of all lists.
  /// - Returns: each member, or a record of which only the list is readable. Throws like ``records(_:)``.
  package func members(
    of list: ATURI
  ) -> some AsyncSequence<Result<AccountView, MalformedRecord>, any Error> & Sendable {
    edges(App.Bsky.Graph.Listitem.self) {
      $0.list == list
    } orBroken: {
      $0.value?["list"]?.string == list.description
    }.compactMap(\.self)
  }

  /// The records of edges to accounts: each account with its record, or nil if it is not wanted.
  ///
  /// An edge needs its key and its subject: ``RecordEdge/init(_:)``.
  func edges<Record: EdgeRecord>(
    _ type: Record.Type, where isWanted: @escaping @Sendable (RecordEdge) -> Bool = { _ in true },
    orBroken isWantedBroken: @escaping @Sendable (MalformedRecord) -> Bool = { _ in true }
  ) -> PagedSequence<Result<AccountView, MalformedRecord>?> where Record.Subject == DID {
    rows(in: Record.nsid, reading: type) { [repository] row in
      switch row.row(of: repository).recordedEdge(in: repository) {
      case .success(let found):
        return isWanted(found.edge) ? found.view.map { .success($0) } : nil
      case .failure(let record): return isWantedBroken(record) ? .failure(record) : nil
      }
    }
  }

  /// The edges of a kind: complete, current, and including duplicates (Q16) and what is about deleted accounts and
  /// lists.
  ///
  /// - Returns: each edge, or an unreadable record. Throws like ``records(_:)``.
  package func edges(of kind: EdgeKind) -> PagedSequence<Result<RecordedEdge, MalformedRecord>> {
    edges(of: kind) { $0 }
  }

  /// The accounts that the edges of a kind point to, each with its record; an edge to a list is nil, and so is one to oneself
  /// in the graph of another app.
  ///
  /// - Returns: each account, or an unreadable record. Throws like ``records(_:)``.
  package func accounts(in kind: EdgeKind) -> PagedSequence<Result<AccountView, MalformedRecord>?> {
    edges(of: kind) { edge in
      switch edge {
      case .success(let found): found.saysNothing ? nil : found.view.map { .success($0) }
      case .failure(let record): .failure(record)
      }
    }
  }

  /// The account that a single record of a kind points to; nil if there is no such record, or it names no account.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func account(_ rkey: RecordKey, in kind: EdgeKind) async throws -> AccountView? {
    guard let found = try await find(rkey, in: kind.collection, reading: PresentRecord.self) else {
      return nil
    }
    let record = KeptRecord(rkey, found.value, in: kind.collection)
    guard case .success(let edge) = record.recordedEdge(kind, in: repository) else { return nil }
    return edge.view
  }

  /// The records of a collection, whatever they say.
  ///
  /// - Returns: the key and content of each record; nil for one that is unreadable. Throws like ``records(_:)``.
  package func contents(of collection: NSID) -> PagedSequence<(rkey: RecordKey, fields: DataObject)?> {
    rows(in: collection, reading: DataValue.self) { [repository] row in
      guard let rkey = row.rkey(in: collection, of: repository), let fields = row.content?.object else {
        return nil
      }
      return (rkey, fields)
    }
  }

  private func edges<Element: Sendable>(
    of kind: EdgeKind, _ element: @escaping @Sendable (Result<RecordedEdge, MalformedRecord>) -> Element
  ) -> PagedSequence<Element> {
    rows(in: kind.collection, reading: ReadableValue.self) { [repository] row in
      let listed = ListedRow(row, of: repository, in: kind.collection)
      guard let rkey = listed.rkey else {
        return element(.failure(listed.malformed(in: kind.collection, of: repository)))
      }
      return element(
        KeptRecord(rkey, listed.value, in: kind.collection).recordedEdge(kind, in: repository))
    }
  }

  /// The collections in the repository, by `com.atproto.repo.describeRepo`.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func collections() async throws -> Set<NSID> {
    typealias Method = Com.Atproto.Repo.DescribeRepo
    do {
      return Set(try await client.query(Method.self, Method.Parameters(repo: .did(repository))).collections)
    } catch let error as XRPCError {
      throw RepositoryError(asking: error)
    }
  }

  // MARK: Single records

  /// The value of a record, by `com.atproto.repo.getRecord`; nil if the repository certainly has no such
  /// record.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func record(_ rkey: RecordKey, in collection: NSID) async throws -> DataValue? {
    try await find(rkey, in: collection, reading: FoundRecord.self)?.value
  }

  /// Requests a record and decodes the wanted part; nil if the repository reports that it has no such
  /// record.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func find<Found: RecordFinding>(
    _ rkey: RecordKey, in collection: NSID, reading: Found.Type
  ) async throws -> Found? {
    typealias Method = Com.Atproto.Repo.GetRecord
    let parameters = Method.Parameters(repo: .did(repository), collection: collection, rkey: rkey)
    do {
      let found = try await client.query(Method.self, parameters, reading: reading)
      guard found.uri.collection == collection, found.uri.recordKey == rkey else {
        throw RepositoryError(
          .invalidResponse, detail: "\(Method.nsid): requested \(collection)/\(rkey), received \(found.uri)")
      }
      return found
    } catch let error as XRPCError where error.saysNoSuchRecord {
      return nil
    } catch let error as XRPCError where error.asksForSignIn || error.code == .notSignedIn {
      return try await findListed(rkey, in: collection, reading: reading, after: error)
    } catch {
      if error is CancellationError { throw error }
      throw RepositoryError(asking: error)
    }
  }

  /// The most pages that are read for one record.
  private static let mostPagesForOne = 10

  /// Looks for a record in the listing of its collection, which is public. Some servers ask for a sign-in where a record is not
  /// there, because they would ask their AppView for it.
  ///
  /// - Parameter refusal: what is thrown unless the listing answers the question.
  private func findListed<Found: RecordFinding>(
    _ rkey: RecordKey, in collection: NSID, reading: Found.Type, after refusal: XRPCError
  ) async throws -> Found? {
    typealias Method = Com.Atproto.Repo.ListRecords
    var cursor: String?
    for _ in 0..<Self.mostPagesForOne {
      let parameters = Method.Parameters(
        repo: .did(repository), collection: collection, limit: Self.pageSize, cursor: cursor)
      let page: FoundPage<Found>
      do {
        page = try await client.query(Method.self, parameters, reading: FoundPage<Found>.self)
      } catch is XRPCError {
        throw RepositoryError(asking: refusal)
      }
      if let found = page.records.elements.first(where: {
        $0.uri.recordKey == rkey && $0.uri.collection == collection
      }) {
        return found
      }
      // A record that cannot be read may be the one.
      guard page.records.faults.isEmpty else { throw RepositoryError(asking: refusal) }
      guard let next = page.cursor, !page.records.elements.isEmpty, next != cursor else { return nil }
      cursor = next
    }
    throw RepositoryError(asking: refusal)
  }
}

/// The wanted part of an answer of `com.atproto.repo.getRecord`.
package protocol RecordFinding: Decodable, Sendable {
  var uri: ATURI { get }
}

/// A page of `com.atproto.repo.listRecords`.
private struct FoundPage<Found: RecordFinding>: Decodable {
  let records: ReadableElements<Found>
  let cursor: String?
}

/// A record and its value, without what cannot be read.
struct ReadableRecord: RecordFinding {
  let uri: ATURI
  let value: ReadableValue
}

/// A record and its value.
package struct FoundRecord: RecordFinding {
  package let uri: ATURI
  package let value: DataValue
}
