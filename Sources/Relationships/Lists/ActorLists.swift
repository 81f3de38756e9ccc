// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// The lists of an actor, as an AppView shows them, page by page as they are wanted, up to 100 a call.
///
/// Lists that starter packs are built on are left out by AppViews. Throws ``RelationshipError``: `actorNotFound`
/// when there is no such account, `invalidResponse` when the cursors go in circles; `CancellationError` when the
/// task is cancelled.
public struct ActorLists: AsyncSequence, Sendable {
  public typealias Element = ListSummary
  public typealias Failure = any Error

  private typealias Method = App.Bsky.Graph.GetLists

  private let actor: ATIdentifier
  private let client: XRPCClient

  /// Lists by the client's service. Nothing is asked yet.
  public init(of actor: ATIdentifier, client: XRPCClient) {
    self.actor = actor
    self.client = client
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lists: self) }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let lists: ActorLists
    private var walk = ListingWalk<ListSummary>(Method.nsid, mostPages: CursorTrail.mostPagesOfLists)

    init(lists: ActorLists) { self.lists = lists }

    public mutating func next() async throws -> ListSummary? {
      try await walk.next { [lists] in try await lists.page(after: $0) }
    }
  }

  private struct Page: Decodable {
    let lists: [ListSummary]
    let cursor: String?
  }

  private func page(after cursor: String?) async throws -> ListingWalk<ListSummary>.Page {
    do {
      let page = try await client.query(
        Method.self, Method.Parameters(actor: actor, limit: ActorListing.pageSize, cursor: cursor),
        reading: Page.self)
      return (page.lists, page.cursor)
    } catch let error as XRPCError {
      throw error.saysNotFound ? .actorNotFound(actor) : RelationshipError(error)
    }
  }
}
