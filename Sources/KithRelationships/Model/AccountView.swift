// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An account with its names and, if it comes from a listing, the record of its edge.
///
/// Nil means unknown: an AppView returns no names for an account that is suspended, deactivated or deleted.
public struct AccountView: Sendable, Hashable {
  /// The counts of a profile.
  public struct Counts: Sendable, Hashable, Codable {
    public var followers: Int?
    public var follows: Int?
    public var posts: Int?

    /// Creates counts.
    public init(followers: Int? = nil, follows: Int? = nil, posts: Int? = nil) {
      self.followers = followers
      self.follows = follows
      self.posts = posts
    }
  }

  /// Where a date comes from.
  public enum DateSource: String, Sendable, Hashable, CaseIterable, Codable {
    /// `createdAt` of the record.
    case record
    /// The key of the record, because the record was not read or has no valid date.
    case key
  }

  /// A single reference, because views are copied often.
  private let shared: Shared

  /// The account's DID.
  public var account: DID { shared.facts.account }
  /// The handle; `handle.invalid` if it is broken.
  public var handle: Handle? { shared.facts.handle }
  /// The display name. Untrusted text: do not print it unescaped to a terminal.
  public var displayName: String? { shared.facts.displayName }
  /// The profile's description; untrusted text as well.
  public var description: String? { shared.facts.description }
  /// When the account was created, according to the AppView.
  public var createdAt: Datetime? { shared.facts.createdAt }
  /// The profile's counts; nil if the view comes from a listing, which does not include them.
  public var counts: Counts? { shared.facts.counts }
  /// The account's status; nil if it was not requested or is unknown.
  public var status: AccountStatus? { shared.facts.status }
  /// The record of the edge: a follow, a block, a list item.
  public var record: ATURI? { shared.facts.record }
  /// When the edge was created according to its author.
  public var since: Datetime? { shared.facts.since }
  /// Where ``since`` comes from; nil without a date.
  public var sinceSource: DateSource? { since == nil ? nil : shared.facts.sinceSource }

  /// Whether the AppView shows the account; nil if unknown. It belongs to the answer, not to the account, so
  /// equal views may differ in it.
  package var isShown: Bool? { shared.isShown }

  /// Whether it is a friend of the account whose listing it is from, or waits for it; nil if that was not asked for.
  public var friendship: Friendship.Summary? { shared.facts.friendship }

  /// Its labels, picture and verification; nil if no AppView has described the account.
  public var marks: AccountMarks? { shared.facts.marks }
  /// The relationship of the signed-in account with it; nil if that was not asked for.
  public var relationship: ViewerRelationship? { shared.facts.relationship }

  /// Creates a view.
  public init(
    _ account: DID, handle: Handle? = nil, displayName: String? = nil, description: String? = nil,
    createdAt: Datetime? = nil, counts: Counts? = nil, status: AccountStatus? = nil, record: ATURI? = nil,
    since: Datetime? = nil, sinceSource: DateSource = .record
  ) {
    self.init(
      Facts(
        account: account, handle: handle, displayName: displayName, description: description,
        createdAt: createdAt, counts: counts, status: status, record: record, since: since,
        sinceSource: sinceSource))
  }

  /// Creates the view of an account that an AppView shows, with all that it says: listings make many of them.
  init(
    shown account: DID, handle: Handle?, displayName: String?, description: String?, createdAt: Datetime?,
    counts: Counts?, record: ATURI?, marks: AccountMarks, relationship: ViewerRelationship?
  ) {
    self.init(
      Facts(
        account: account, handle: handle, displayName: displayName, description: description,
        createdAt: createdAt, counts: counts, record: record, sinceSource: .record, marks: marks,
        relationship: relationship), isShown: true)
  }

  private init(_ facts: Facts, isShown: Bool? = nil) { shared = Shared(facts, isShown: isShown) }

  private func with(_ change: (inout Facts) -> Void) -> AccountView {
    var facts = shared.facts
    change(&facts)
    return AccountView(facts, isShown: isShown)
  }

  /// The same view, from an AppView that shows the account or does not.
  func shown(_ isShown: Bool) -> AccountView { AccountView(shared.facts, isShown: isShown) }

  /// The same edge with the names and counts of another view.
  package func named(by view: AccountView?) -> AccountView {
    guard let view else { return self }
    let named = with { facts in
      facts.handle = view.handle ?? handle
      facts.displayName = view.displayName ?? displayName
      facts.description = view.description ?? description
      facts.createdAt = view.createdAt ?? createdAt
      facts.counts = view.counts ?? counts
      facts.marks = view.marks ?? marks
      facts.relationship = view.relationship ?? relationship
    }
    return view.isShown.map(named.shown) ?? named
  }

  /// The same account with the record and the date of another view, or without.
  func edge(of view: AccountView?) -> AccountView {
    with { facts in
      (facts.record, facts.since) = (view?.record, view?.since)
      facts.sinceSource = view?.sinceSource ?? .record
    }
  }

  /// The same account with the record of an edge, and with the date that the key claims if no other date is
  /// known (Q15).
  func edge(_ record: ATURI) -> AccountView {
    with { facts in
      facts.record = facts.record ?? record
      guard facts.since == nil, let claimed = record.claimedDate else { return }
      (facts.since, facts.sinceSource) = (claimed, .key)
    }
  }

  /// The same account with a status.
  package func with(_ status: AccountStatus?) -> AccountView { with { $0.status = status } }

  func with(_ friendship: Friendship.Summary?) -> AccountView { with { $0.friendship = friendship } }

  /// The same account with what an AppView says about it.
  package func with(_ marks: AccountMarks) -> AccountView { with { $0.marks = marks } }

  /// The same account with the relationship of the signed-in account.
  package func with(_ relationship: ViewerRelationship?) -> AccountView {
    with { $0.relationship = relationship }
  }

  private struct Facts: Sendable, Hashable, Codable {
    let account: DID
    var handle: Handle?
    var displayName: String?
    var description: String?
    var createdAt: Datetime?
    var counts: Counts?
    var status: AccountStatus?
    var record: ATURI?
    var since: Datetime?
    var sinceSource: DateSource
    var friendship: Friendship.Summary?
    var marks: AccountMarks?
    var relationship: ViewerRelationship?
  }

  private final class Shared: Sendable, Hashable {
    let facts: Facts
    /// Not compared.
    let isShown: Bool?

    init(_ facts: Facts, isShown: Bool?) { (self.facts, self.isShown) = (facts, isShown) }

    static func == (lhs: Shared, rhs: Shared) -> Bool { lhs === rhs || lhs.facts == rhs.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
  }
}

/// An object with the properties as fields. What only errors say is left out: ``Friendship/Summary/fault``.
extension AccountView: Codable {
  public init(from decoder: any Decoder) throws { self.init(try Facts(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try shared.facts.encode(to: encoder) }
}

/// The names and the edge in one line: `alice.test (did:plc:a), since 2026-11-29T12:00:00Z`. Texts of the account's
/// owner are left out.
extension AccountView: CustomDebugStringConvertible {
  public var debugDescription: String {
    (handle.map { "\($0) (\(account))" } ?? "\(account)") + (status.map { ", \($0.rawValue)" } ?? "")
      + (since.map { ", since \($0)" } ?? "")
  }
}

/// The status of an account, in the terms of `com.atproto.sync.getRepoStatus` and of AppViews.
public enum AccountStatus: String, Sendable, Hashable, CaseIterable, Codable {
  case active
  /// Deactivated by its owner, who may reactivate it.
  case deactivated
  /// Suspended or taken down, by its server or the AppView: AppViews do not tell these apart.
  case suspended
  /// Deleted for good.
  case deleted
  /// The account exists, but its handle does not resolve to it.
  case invalidHandle = "invalid-handle"

  /// The word that servers use for some suspended accounts; as an input it means the same.
  static let takenDown = "taken-down"
}
