// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Walks through the pages of a listing of an AppView: asks for the next one when the last one is used up.
struct ListingWalk<Element: Hashable & Sendable>: Sendable {
  /// One page, and the way on.
  typealias Page = (elements: [Element], cursor: String?)

  private let method: NSID
  private var trail: CursorTrail
  private var cursor: String?
  private var isAtEnd = false
  private var fault: RelationshipError?
  private var page: [Element] = []
  private var position = 0

  /// - Parameter method: is named by what is said of cursors that lead nowhere.
  init(_ method: NSID, mostPages: Int = CursorTrail.mostPages) {
    self.method = method
    trail = CursorTrail(mostPages: mostPages)
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
