// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Walks through the pages of a listing of an AppView: asks for the next one when the last one is used up.
struct PageIterator<Element: Hashable & Sendable>: Sendable {
  /// One page, and the way on.
  typealias Page = (elements: [Element], cursor: String?)

  private let method: NSID
  private var trail: PaginationGuard
  private var cursor: String?
  private var isAtEnd = false
  private var fault: RelationshipError?
  private var page: [Element] = []
  private var position = 0

  /// - Parameter method: is named by what is said of cursors that lead nowhere.
  init(_ method: NSID, mostPages: Int = PaginationGuard.mostPages) {
    self.method = method
    trail = PaginationGuard(mostPages: mostPages)
  }

  /// - Parameter fetch: asks for the page after a cursor.
  mutating func next(_ fetch: (String?) async throws -> Page) async throws -> Element? {
    while position == page.count {
      if let fault { throw fault }
      guard !isAtEnd else { return nil }
      let answer = try await fetch(cursor)
      page = answer.elements
      position = 0
      switch trail.received(page, cursor: answer.cursor) {
      case .next(let next): cursor = next
      case .end: isAtEnd = true
      // The page itself is good: only the way on from it is not.
      case .fault(let reason): fault = .invalidResponse(method, path: "cursor", "\(reason)")
      }
    }
    defer { position += 1 }
    return page[position]
  }
}

/// What a listing needs of a page of `getFollows`, `getFollowers` or `getList`: who is on it, and the way on.
///
/// The views around the DIDs are many times as large, and hold words and records of strangers.
struct ListingPage: Decodable {
  let actors: [DID]
  let cursor: String?

  private enum CodingKeys: CodingKey { case follows, followers, items, cursor }

  private struct Profile: Decodable { let did: DID }
  private struct Item: Decodable { let subject: Profile }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    if container.contains(.items) {
      actors = try container.decode([Item].self, forKey: .items).map(\.subject.did)
    } else {
      let key = container.contains(.follows) ? CodingKeys.follows : .followers
      actors = try container.decode([Profile].self, forKey: key).map(\.did)
    }
  }
}
