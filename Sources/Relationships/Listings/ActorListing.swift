// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// The accounts of a listing of an AppView, page by page as they are wanted, up to 100 a call.
///
/// An AppView leaves out of follows and followers whom it does not show: suspended and deactivated
/// accounts, and those between whom and the actor a block stands (Q11). Throws ``RelationshipError``:
/// `actorNotFound` or `listNotFound` when there is nobody or nothing to list, `invalidResponse` when the cursors
/// go in circles; `CancellationError` when the task is cancelled.
public struct ActorListing: AsyncSequence, Sendable {
  public typealias Element = DID
  public typealias Failure = any Error

  /// What is listed.
  public enum Kind: Sendable, Hashable {
    /// Whom an actor follows.
    case follows(of: ATIdentifier)
    /// Who follows an actor.
    case followers(of: ATIdentifier)
    /// Who is on a list, by the list's AT-URI.
    case members(of: ATURI)
  }

  /// The most entries of one page, by the lexicons.
  static let pageSize = 100

  private let kind: Kind
  private let client: XRPCClient

  /// Lists by the client's service. Nothing is asked yet.
  public init(_ kind: Kind, client: XRPCClient) {
    self.kind = kind
    self.client = client
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(kind: kind, client: client) }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let kind: Kind
    private let client: XRPCClient
    private var walk: PageIterator<DID>

    init(kind: Kind, client: XRPCClient) {
      self.kind = kind
      self.client = client
      walk = PageIterator(kind.method)
    }

    public mutating func next() async throws -> DID? {
      try await walk.next { [kind, client] cursor in
        let page = try await kind.page(after: cursor, client)
        return (page.actors, page.cursor)
      }
    }
  }
}

extension ActorListing.Kind {
  /// The method that lists it.
  public var method: NSID {
    switch self {
    case .follows: App.Bsky.Graph.GetFollows.nsid
    case .followers: App.Bsky.Graph.GetFollowers.nsid
    case .members: App.Bsky.Graph.GetList.nsid
    }
  }

  fileprivate func page(after cursor: String?, _ client: XRPCClient) async throws -> ListingPage {
    typealias Graph = App.Bsky.Graph
    let limit = ActorListing.pageSize
    do {
      switch self {
      case .follows(let actor):
        return try await client.query(
          Graph.GetFollows.self, Graph.GetFollows.Parameters(actor: actor, limit: limit, cursor: cursor),
          reading: ListingPage.self)
      case .followers(let actor):
        return try await client.query(
          Graph.GetFollowers.self, Graph.GetFollowers.Parameters(actor: actor, limit: limit, cursor: cursor),
          reading: ListingPage.self)
      case .members(let list):
        return try await client.query(
          Graph.GetList.self, Graph.GetList.Parameters(list: list, limit: limit, cursor: cursor),
          reading: ListingPage.self)
      }
    } catch let error as XRPCError {
      throw error.saysNotFound ? notFound : RelationshipError(error)
    }
  }

  /// What a server means by "not found".
  private var notFound: RelationshipError {
    switch self {
    case .follows(let actor), .followers(let actor): .actorNotFound(actor)
    case .members(let list): .listNotFound(list)
    }
  }
}
