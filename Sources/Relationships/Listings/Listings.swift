// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// Whose accounts are listed.
public enum ActorListing: Sendable, Hashable {
  /// Whom an actor follows.
  case follows(of: ATIdentifier)
  /// Who follows an actor.
  case followers(of: ATIdentifier)
  /// Who is on a list, by the list's AT-URI.
  case members(of: ATURI)

  /// The method that lists them.
  public var method: NSID {
    switch self {
    case .follows: App.Bsky.Graph.GetFollows.nsid
    case .followers: App.Bsky.Graph.GetFollowers.nsid
    case .members: App.Bsky.Graph.GetList.nsid
    }
  }
}

/// What an AppView lists, up to 100 entries a call; nothing is asked before the first is wanted.
///
/// An AppView omits accounts that it does not show: those that are suspended or deactivated, and those that block the
/// actor or are blocked by it (Q11). ``accounts(_:)`` adds from repositories whom they name. Every listing throws
/// ``RelationshipError``: `actorNotFound` or `listNotFound` when the actor or list does not exist, `invalidResponse` when
/// the cursors go in circles; `CancellationError` when the task is cancelled.
public struct Listings: Sendable {
  /// The most entries of one page, by the lexicons.
  static let pageSize = 100

  private typealias Graph = App.Bsky.Graph

  private let client: XRPCClient
  private let repository: (@Sendable (DID) async throws -> XRPCClient)?

  /// Lists by the client's service.
  ///
  /// - Parameter repository: makes a client of the server of an account's repository; without it nothing is added to
  ///   what the AppView lists.
  public init(
    _ client: XRPCClient, repository: (@Sendable (_ account: DID) async throws -> XRPCClient)? = nil
  ) {
    self.client = client
    self.repository = repository
  }

  /// The accounts of a listing, as many as can be listed, and how many cannot.
  public func accounts(_ listing: ActorListing) -> AccountListing {
    AccountListing(listing, pages: pages(of: listing), client: client, repository: repository)
  }

  /// The accounts that the AppView lists.
  func pages(of listing: ActorListing) -> PagedSequence<AccountView> {
    switch listing {
    case .follows(let actor):
      sequence(of: Graph.GetFollows.self, reading: AccountPage.self, orElse: .actorNotFound(actor)) {
        Graph.GetFollows.Parameters(actor: actor, limit: Self.pageSize, cursor: $0)
      }
    case .followers(let actor):
      sequence(of: Graph.GetFollowers.self, reading: AccountPage.self, orElse: .actorNotFound(actor)) {
        Graph.GetFollowers.Parameters(actor: actor, limit: Self.pageSize, cursor: $0)
      }
    case .members(let list): members(of: list)
    }
  }

  /// The lists of an actor; AppViews leave out those that starter packs are built on.
  public func lists(of actor: ATIdentifier) -> PagedSequence<ListSummary> {
    sequence(
      of: Graph.GetLists.self, reading: ListPage.self, mostPages: PaginationGuard.mostPagesOfLists,
      orElse: .actorNotFound(actor)
    ) {
      Graph.GetLists.Parameters(actor: actor, limit: Self.pageSize, cursor: $0)
    }
  }

  /// Who is on a list, with handles and records. One's own lists are read whole from one's own repository: see
  /// ``RecordReader/members(of:)``.
  ///
  /// - Parameter check: is told with each page what the list is for, nil where the AppView does not say; what it
  ///   throws ends the sequence.
  public func members(
    of list: ATURI, checking check: @escaping @Sendable (ListPurpose?) throws -> Void = { _ in }
  ) -> PagedSequence<AccountView> {
    sequence(
      of: Graph.GetList.self, reading: MemberPage.self, orElse: .listNotFound(list),
      checking: { try check($0.purpose) }
    ) {
      Graph.GetList.Parameters(list: list, limit: Self.pageSize, cursor: $0)
    }
  }

  /// - Parameters:
  ///   - notFound: what the server means by that.
  ///   - parameters: of the call for the page behind a cursor.
  private func sequence<Method: XRPCQuery, Page: ListingPage>(
    of method: Method.Type, reading page: Page.Type, mostPages: Int = PaginationGuard.mostPages,
    orElse notFound: RelationshipError, checking check: @escaping @Sendable (Page) throws -> Void = { _ in },
    _ parameters: @escaping @Sendable (_ cursor: String?) -> Method.Parameters
  ) -> PagedSequence<Page.Element> {
    PagedSequence(
      .init(mostPages: mostPages) { [client] cursor in
        do {
          let answer = try await client.query(method, parameters(cursor), reading: page)
          try check(answer)
          return .init(rows: answer.rows, cursor: answer.cursor, total: answer.total)
        } catch let error as XRPCError {
          throw error.saysNotFound ? notFound : RelationshipError(error)
        }
      } fault: {
        RelationshipError.invalidResponse(Method.nsid, path: "cursor", "\($0)")
      })
  }
}

/// As much of a page as a listing needs. The views around it are many times as large, and hold words and records of
/// strangers.
private protocol ListingPage: Decodable, Sendable {
  associatedtype Element: Sendable
  /// What it lists, each with a hash of what names it.
  var rows: [(name: Int, element: Element)] { get }
  var cursor: String? { get }
  /// How many there are on all pages, where the answer tells.
  var total: Int? { get }
}

extension ListingPage {
  var total: Int? { nil }
}

/// Who is on a page of `getFollows` or `getFollowers`.
private struct AccountPage: ListingPage {
  let rows: [(name: Int, element: AccountView)]
  let cursor: String?

  private enum CodingKeys: CodingKey { case follows, followers, cursor }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    let key = container.contains(.follows) ? CodingKeys.follows : .followers
    rows = try container.decode([ProfileWords].self, forKey: key).map { ($0.did.hashValue, $0.view()) }
  }
}

/// A page of `getLists`.
private struct ListPage: ListingPage {
  private let lists: [ListSummary]
  let cursor: String?

  var rows: [(name: Int, element: ListSummary)] { lists.map { ($0.uri.hashValue, $0) } }
}

/// A page of `getList`, with handles and records.
private struct MemberPage: ListingPage {
  private struct Item: Decodable {
    let uri: ATURI
    let subject: ProfileWords
  }

  private struct List: Decodable {
    let purpose: String?
    let listItemCount: Int?
  }

  let rows: [(name: Int, element: AccountView)]
  let cursor: String?
  let total: Int?
  let purpose: ListPurpose?

  private enum CodingKeys: CodingKey { case list, items, cursor }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    rows = try container.decode([Item].self, forKey: .items).map {
      ($0.uri.hashValue, $0.subject.view(record: $0.uri))
    }
    let list = try container.decodeIfPresent(List.self, forKey: .list)
    purpose = list?.purpose.map { ListPurpose(name: $0) }
    total = list?.listItemCount?.asCount
  }
}
