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
    private var walk = PageIterator<ListSummary>(Method.nsid, mostPages: PaginationGuard.mostPagesOfLists)

    init(lists: ActorLists) { self.lists = lists }

    public mutating func next() async throws -> ListSummary? {
      try await walk.next { [lists] in try await lists.page(after: $0) }
    }
  }

  private struct Page: Decodable {
    let lists: [ListSummary]
    let cursor: String?
  }

  private func page(after cursor: String?) async throws -> PageIterator<ListSummary>.Page {
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

/// What an AppView says of a list, without who is on it.
public struct ListSummary: Sendable, Hashable, Decodable {
  /// Its address.
  public let uri: ATURI
  /// Whose it is.
  public let owner: DID
  /// The owner's handle; `handle.invalid` where that is broken.
  public let ownerHandle: Handle
  public let name: String
  /// What it is for.
  public let purpose: ListPurpose
  public let description: String?
  /// How many are on it; nil where the AppView does not say.
  public let members: Int?
  /// Whether the viewer mutes it; nil where nobody is signed in.
  public let isMuted: Bool?
  /// The viewer's record that blocks it.
  public let block: ATURI?

  private enum CodingKeys: String, CodingKey {
    case uri, creator, name, purpose, description, viewer
    case members = "listItemCount"
  }

  private struct Creator: Decodable {
    let did: DID
    let handle: Handle
  }

  private struct Viewer: Decodable {
    let muted: Bool?
    let blocked: ATURI?
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    let creator = try container.decode(Creator.self, forKey: .creator)
    (owner, ownerHandle) = (creator.did, creator.handle)
    name = try container.decode(String.self, forKey: .name)
    purpose = ListPurpose(name: try container.decode(String.self, forKey: .purpose))
    description = try container.decodeIfPresent(String.self, forKey: .description)
    members = try container.decodeIfPresent(Int.self, forKey: .members)?.asCount
    let viewer = try container.decodeIfPresent(Viewer.self, forKey: .viewer)
    (isMuted, block) = (viewer?.muted, viewer?.blocked)
  }
}
