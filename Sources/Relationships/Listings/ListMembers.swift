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
    private var walk = PageIterator<ListMember>(Method.nsid)
    /// What the list is for, by the AppView; nil before the first page came, and where it does not say.
    public private(set) var purpose: ListPurpose?

    init(members: ListMembers) { self.members = members }

    public mutating func next() async throws -> ListMember? {
      var purpose = purpose
      defer { self.purpose = purpose }
      return try await walk.next { [members] cursor in
        let page = try await members.page(after: cursor)
        purpose = page.purpose
        return (page.members, page.cursor)
      }
    }
  }

  private struct Page: Decodable {
    struct Item: Decodable {
      let uri: ATURI
      let subject: ProfileNames.Profile
    }

    struct List: Decodable { let purpose: String? }

    let list: List?
    let items: [Item]
    let cursor: String?

    var purpose: ListPurpose? { list?.purpose.map { ListPurpose(name: $0) } }
    var members: [ListMember] {
      items.map { ListMember(account: $0.subject.did, handle: $0.subject.handle, item: $0.uri) }
    }
  }

  private func page(after cursor: String?) async throws -> Page {
    do {
      return try await client.query(
        Method.self, Method.Parameters(list: list, limit: ActorListing.pageSize, cursor: cursor),
        reading: Page.self)
    } catch let error as XRPCError {
      throw error.saysNotFound ? .listNotFound(list) : RelationshipError(error)
    }
  }
}

/// The handles of accounts that are known by their DIDs, by the word of an AppView, 25 a call.
public struct MemberNames: Sendable {
  /// The most accounts of one call: `getProfiles.actors` in its lexicon.
  public static let batchSize = HandleResolver.batchSize

  private let client: XRPCClient

  /// Asks an AppView.
  public init(client: XRPCClient) { self.client = client }

  /// The handles of those whom the AppView shows (Q14), of up to ``batchSize``.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  public func handles(of accounts: [DID]) async throws -> [DID: Handle] {
    typealias Method = App.Bsky.Actor.GetProfiles
    do {
      let answer = try await client.query(
        Method.self, Method.Parameters(actors: accounts.map(ATIdentifier.did)), reading: ProfileNames.self)
      return Dictionary(answer.profiles.map { ($0.did, $0.handle) }) { first, _ in first }
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }
}
