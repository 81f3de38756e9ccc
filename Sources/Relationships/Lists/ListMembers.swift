// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// Who is on a list, as an AppView shows it, page by page as they are wanted, up to 100 a call.
///
/// An AppView leaves out accounts that are suspended or deactivated; one's own lists are read whole from one's own
/// repository: see ``OwnListMembers``. Throws as ``ActorListing``.
public struct ListMembers: AsyncSequence, Sendable {
  public typealias Element = ListMember
  public typealias Failure = any Error

  private typealias Method = App.Bsky.Graph.GetList

  private let list: ATURI
  private let client: XRPCClient

  /// Lists by the client's service. Nothing is asked yet.
  public init(of list: ATURI, client: XRPCClient) {
    self.list = list
    self.client = client
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(members: self) }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let members: ListMembers
    private var walk = ListingWalk<ListMember>(Method.nsid)

    init(members: ListMembers) { self.members = members }

    public mutating func next() async throws -> ListMember? {
      try await walk.next { [members] in try await members.page(after: $0) }
    }
  }

  private struct Page: Decodable {
    struct Item: Decodable {
      let uri: ATURI
      let subject: ProfileNames.Profile
    }

    let items: [Item]
    let cursor: String?
  }

  private func page(after cursor: String?) async throws -> ListingWalk<ListMember>.Page {
    do {
      let page = try await client.query(
        Method.self, Method.Parameters(list: list, limit: ActorListing.pageSize, cursor: cursor),
        reading: Page.self)
      let members = page.items.map {
        ListMember(account: $0.subject.did, handle: $0.subject.handle, item: $0.uri)
      }
      return (members, page.cursor)
    } catch let error as XRPCError {
      throw error.saysNotFound ? .listNotFound(list) : RelationshipError(error)
    }
  }
}
