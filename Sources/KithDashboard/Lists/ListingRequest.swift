// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships

/// What a page of accounts, its export and its plans are about: a listing, what it is narrowed to, and the order.
struct ListingRequest {
  let section: Section
  let account: AccountInUse
  /// The account whose listing it is; nil for the own one.
  let owner: ATIdentifier?
  /// A text that handle, name or description contain.
  let words: String?
  /// A predicate, as it was typed.
  let filter: String?
  let order: ListAccounts.Key?

  /// - Throws: ``DashboardError`` for an order that does not exist, and as `Visit.account()`.
  init(_ section: Section, _ visit: Visit) throws {
    try self.init(
      section, of: visit.account(), owner: visit.form?["owner"] ?? visit.parts["actor"],
      visit.form ?? visit.items)
  }

  private init(
    _ section: Section, of account: AccountInUse, owner: String?, _ items: QueryItems
  ) throws(DashboardError) {
    (self.section, self.account) = (section, account)
    if let owner {
      guard let name = ATIdentifier(owner) else { throw .invalid(owner, "this is not a handle or DID") }
      self.owner = name == .did(account.did) ? nil : name
    } else {
      self.owner = nil
    }
    func text(_ name: String) -> String? {
      let text = items[name].map { String($0.drop { $0 == " " }) } ?? ""
      return text.isEmpty ? nil : text
    }
    (words, filter) = (text("q"), text("where"))
    order = text("sort") == nil ? nil : try APIParameters(items).word("sort", of: ListAccounts.Key.self)
  }

  var isOwn: Bool { owner == nil }

  /// Whether only some of the accounts are meant.
  var isNarrowed: Bool { words != nil || filter != nil }

  var title: String { owner.map { "\(section.title) of \($0)" } ?? section.title }

  /// Tells it from other listings.
  var key: String {
    [account.did.description, owner?.description, section.rawValue, words, filter, order?.rawValue]
      .map { $0 ?? "" }.joined(separator: "\n")
  }

  // MARK: Operation

  /// The predicate; nil for all accounts.
  ///
  /// - Throws: `OperationError` `invalidPredicate`, `noSegment`.
  func predicate() async throws -> AccountPredicate? {
    let (workspace, words) = (account.workspace, words.map { AccountPredicate(wordsContaining: $0) })
    guard let filter else { return words }
    let typed = try AccountPredicate(
      checking: filter, now: Datetime(at: workspace.time.instant),
      segments: try await workspace.segments(namedIn: [filter]))
    return words.map { $0 && typed } ?? typed
  }

  /// Lists the accounts.
  ///
  /// - Throws: as ``predicate()``.
  func operation() async throws -> ListAccounts {
    var query = query
    if let predicate = try await predicate() { query = query.narrowed(to: predicate) }
    // A count that the order needs is read with it.
    let details: Listings.Details = order == .followers ? [.relationship, .counts] : [.relationship]
    return ListAccounts(query, details: details, sortedBy: order)
  }

  private var query: ListingQuery {
    let actor = owner ?? .did(account.did)
    return switch section {
    case .following: ListingQuery(.follows(of: actor))
    case .mutuals: .mutuals(of: actor)
    case .notFollowingBack: .notFollowingBack(actor)
    case .notFollowedBack: .notFollowedBack(by: actor)
    case .blocked: ListingQuery(.blocks(of: actor))
    case .muted: ListingQuery(.mutes(of: actor))
    default: ListingQuery(.followers(of: actor))
    }
  }

  /// All its accounts, for a change.
  ///
  /// - Throws: as ``predicate()``.
  func choice() async throws -> AccountChoice {
    let source: AccountChoice.Source =
      switch (section, owner) {
      case (.following, let owner?): .follows(of: owner)
      case (_, let owner?): .followers(of: owner)
      case (.following, nil): .own(.following)
      case (.mutuals, nil): .own(.mutuals)
      case (.notFollowingBack, nil): .own(.notFollowingBack)
      case (.notFollowedBack, nil): .own(.notFollowedBack)
      case (.blocked, nil): .own(.blocks)
      case (.muted, nil): .own(.mutes)
      default: .own(.followers)
      }
    var choice = AccountChoice(TargetStream(origins: []), and: [source])
    choice.predicate = try await predicate()
    choice.isFiltered = isNarrowed
    return choice
  }

  // MARK: Addresses

  /// The listing with nothing left out.
  var plainAddress: String { address(of: section, end: "") }

  /// One of its pages.
  func address(from start: Int = 1) -> String {
    let from = start > 1 ? ["from=\(start)"] : []
    return plainAddress + Self.query(from + parameters)
  }

  /// Its rows as a file.
  func export(as format: ExportFormat) -> String {
    address(of: section, end: "/export") + Self.query(["as=\(format.rawValue)"] + parameters)
  }

  private func address(of section: Section, end: String) -> String {
    account.address((owner.map { "profile/\($0)/" } ?? "") + section.rawValue + end)
  }

  private var parameters: [String] {
    [("q", words), ("where", filter), ("sort", order?.rawValue)].compactMap { name, value in
      value.map { "\(name)=\(QueryItems.encoded($0))" }
    }
  }

  private static func query(_ parameters: [String]) -> String {
    parameters.isEmpty ? "" : "?\(parameters.joined(separator: "&"))"
  }
}

/// The form of a file with rows.
enum ExportFormat: String, CaseIterable {
  case csv, json
}
