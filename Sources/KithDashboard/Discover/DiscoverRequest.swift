// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations

/// Which people a page shows: where they are looked for, and how many.
struct DiscoverRequest {
  /// Where people are looked for, as the address names it.
  enum Kind: String, CaseIterable {
    case recommended, suggested, recent, popular, nearby, search
  }

  /// How many are shown: each step is a page that is loaded further.
  static let steps = [25, 50, 100, 200]
  /// The longest text that is searched for, in characters.
  static let longestText = 300

  let account: AccountInUse
  /// The kind that is chosen; a text is searched for whatever it is.
  private let chosen: Kind
  /// What is searched for; empty for nothing.
  let words: String
  let most: Int

  /// - Throws: ``DashboardError`` for a kind that does not exist, a wrong number or a long text, and as `Visit.account()`.
  init(_ visit: Visit) throws {
    account = try visit.account()
    let parameters = APIParameters(visit.items)
    chosen = try parameters.word("by", of: Kind.self) ?? .recommended
    most = try parameters.number("most", upTo: Self.steps.max() ?? 1) ?? Self.steps[0]
    words = (visit.items["q"] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard words.count <= Self.longestText else {
      throw DashboardError.invalid(
        "q", "a text of at most \(Self.longestText) characters can be searched for")
    }
  }

  var kind: Kind { words.isEmpty ? chosen : .search }

  /// Nil for a search without a text.
  var operation: FindPeople? {
    let source: FindPeople.Source
    switch kind {
    case .search:
      guard !words.isEmpty else { return nil }
      source = .search(words)
    case .recommended: source = .recommended
    case .suggested: source = .suggested
    case .recent: source = .recent
    case .popular: source = .popular
    case .nearby: source = .nearby
    }
    return FindPeople(source, limit: most, withCounts: true)
  }

  /// Whether an account may be left out of such people from now on.
  var canDismiss: Bool { [.recommended, .suggested, .nearby].contains(kind) }

  // MARK: Addresses

  /// The same with more people; nil if there are as many as can be.
  var addressOfMore: String? { Self.steps.first { $0 > most }.map { address(most: $0) } }

  var address: String { address(most: most) }

  /// The kind that the search leads back to when its text is removed.
  var formKind: String { chosen.rawValue }

  private func address(most: Int) -> String {
    var items: [String] = []
    if chosen != .recommended { items.append("by=\(chosen.rawValue)") }
    if !words.isEmpty { items.append("q=\(QueryItems.encoded(words))") }
    if most != Self.steps[0] { items.append("most=\(most)") }
    return Self.address(of: account) + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
  }

  static func address(of account: AccountInUse) -> String { account.address(Section.discover.rawValue) }

  /// The page of a kind.
  static func address(of kind: Kind, _ account: AccountInUse) -> String {
    kind == .recommended ? address(of: account) : "\(address(of: account))?by=\(kind.rawValue)"
  }
}

extension DiscoverRequest.Kind {
  var title: String {
    switch self {
    case .recommended: "For you"
    case .suggested: "Suggested"
    case .recent: "Recent"
    case .popular: "Popular"
    case .nearby: "Nearby"
    case .search: "Search"
    }
  }
}
