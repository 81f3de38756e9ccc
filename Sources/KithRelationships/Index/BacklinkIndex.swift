// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// A backlink index such as Constellation, a service that crawls the network's records and knows which of
/// them point to a subject. It shows who blocks an account and which lists include it, which AppViews do
/// not list.
///
/// Its answers are lower bounds (Q26): records from before it started, and of servers that it does not
/// crawl, are missing. It returns record keys without dates; a key made from a timestamp gives a date
/// (Q15).
package struct BacklinkIndex: Sendable {
  /// The collection and field of records that point to a subject.
  package struct Source: Sendable {
    let rawValue: String

    /// The field `subject` of the records of a kind.
    package init(_ kind: EdgeKind) { rawValue = "\(kind.collection):subject" }

    package static let follows = Source(.follow)
    package static let blocks = Source(.block)
    package static let listBlocks = Source(.listblock)
    package static let listItems = Source(.listitem)
  }

  /// The most links per page.
  static let pageSize = 1_000
  /// Limits an index to a million links per query.
  private static let mostPages = 1_000
  /// Concurrent calls about lists.
  private static let concurrency = 8

  private let client: XRPCClient

  /// Creates an index that uses a client, preferably signed out.
  package init(_ client: XRPCClient) { self.client = client }

  /// The accounts whose records point to a subject, each with its record and the date that the record key
  /// claims, newest first.
  ///
  /// - Parameters:
  ///   - subject: returns what the records point to; called before each page.
  ///   - element: converts each account.
  /// - Returns: a sequence that throws ``RelationshipError``, what `subject` throws, `CancellationError`.
  package func links<Element: Sendable>(
    from source: Source, to subject: @escaping @Sendable () async throws -> String,
    _ element: @escaping @Sendable (AccountView) -> Element
  ) -> PagedSequence<Element> {
    typealias Method = Blue.Microcosm.Links.GetBacklinks
    return PagedSequence(
      .init(mostPages: Self.mostPages) { [client] cursor, _ in
        let subject = try await subject()
        let parameters = Method.Parameters(
          subject: subject, source: source.rawValue, limit: Self.pageSize, cursor: cursor)
        do {
          let page = try await client.query(Method.self, parameters)
          let views = page.records.map { link in
            let record = ATURI(
              authority: .did(link.did), collection: link.collection, recordKey: link.rkey)
            return AccountView(link.did, record: record, since: record.claimedDate, sinceSource: .key)
          }
          return .init(
            rows: views.map { ($0.record.hashValue, element($0)) }, cursor: page.cursor?.value,
            total: page.total)
        } catch let error as XRPCError {
          throw RelationshipError(error)
        }
      } fault: {
        RelationshipError.invalidResponse(Method.nsid, path: "cursor", "\($0)")
      })
  }

  /// How many records that the index knows point to an account in a graph; nil if it does not say.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  package func count(to account: DID, in graph: FollowGraph) async throws -> Int? {
    var pages = links(from: Source(graph.kind), to: { account.description }, { $0 }).makeAsyncIterator()
    _ = try await pages.nextPage()
    return pages.total
  }

  /// The lists that include an account, as the index has seen them; some may be gone.
  ///
  /// - Returns: a sequence that throws ``RelationshipError``, what `account` throws, `CancellationError`.
  func lists(with account: @escaping @Sendable () async throws -> DID) -> PagedSequence<ATURI> {
    typealias Method = Blue.Microcosm.Links.GetManyToManyCounts
    return PagedSequence(
      .init(mostPages: Self.mostPages) { [client] cursor, _ in
        let parameters = Method.Parameters(
          subject: try await account().description, source: Source.listItems.rawValue, pathToOther: "list",
          limit: Self.pageSize, cursor: cursor)
        do {
          let page = try await client.query(Method.self, parameters)
          let lists = page.countsByOtherSubject.compactMap { ATURI($0.subject) }.filter(\.isList)
          return .init(rows: lists.map { ($0.hashValue, $0) }, cursor: page.cursor?.value)
        } catch let error as XRPCError {
          throw RelationshipError(error)
        }
      } fault: {
        RelationshipError.invalidResponse(Method.nsid, path: "cursor", "\($0)")
      })
  }

  /// The accounts that block any of some lists, with the record for the first list found for each.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  func blockers(of lists: [ATURI]) async throws -> [AccountView] {
    try await withThrowingTaskGroup(of: (Int, [AccountView]).self) { group in
      var found: [Int: [AccountView]] = [:]
      for (position, list) in lists.enumerated() {
        if position >= Self.concurrency, let (place, views) = try await group.next() { found[place] = views }
        group.addTask {
          var views: [AccountView] = []
          for try await view in links(from: .listBlocks, to: { list.description }, { $0 }) {
            views.append(view)
          }
          return (position, views)
        }
      }
      for try await (place, views) in group { found[place] = views }
      return lists.indices.flatMap { found[$0] ?? [] }
    }
  }
}
