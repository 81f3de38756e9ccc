// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account with its names, and where a listing brought it, with the record that puts it there.
///
/// What is nil was not learned: an AppView gives no names of an account that is suspended, deactivated or gone.
public struct AccountView: Sendable, Hashable {
  /// What a profile counts.
  public struct Counts: Sendable, Hashable {
    public var followers: Int?
    public var follows: Int?
    public var posts: Int?

    /// Puts together what is counted.
    public init(followers: Int? = nil, follows: Int? = nil, posts: Int? = nil) {
      self.followers = followers
      self.follows = follows
      self.posts = posts
    }
  }

  /// One reference, for a view goes along with its account through many hands.
  private let shared: Shared

  /// Who it is.
  public var account: DID { shared.facts.account }
  /// Its handle; `handle.invalid` where it is broken.
  public var handle: Handle? { shared.facts.handle }
  /// What it calls itself. A stranger's words: not fit for a terminal as they are.
  public var displayName: String? { shared.facts.displayName }
  /// What its profile says; a stranger's words too.
  public var description: String? { shared.facts.description }
  /// When the account was made, by the word of the AppView.
  public var createdAt: Datetime? { shared.facts.createdAt }
  /// What its profile counts; nil where a listing has brought it, which does not tell.
  public var counts: Counts? { shared.facts.counts }
  /// What became of it; nil where that was not asked for, or nobody tells.
  public var status: AccountStatus? { shared.facts.status }
  /// The record that makes the edge: a follow, a block, a list item.
  public var record: ATURI? { shared.facts.record }
  /// When the edge was made, by the word of whoever made it: `createdAt` of the record.
  public var since: Datetime? { shared.facts.since }

  /// Puts together what is known of an account.
  public init(
    _ account: DID, handle: Handle? = nil, displayName: String? = nil, description: String? = nil,
    createdAt: Datetime? = nil, counts: Counts? = nil, status: AccountStatus? = nil, record: ATURI? = nil,
    since: Datetime? = nil
  ) {
    self.init(
      Facts(
        account: account, handle: handle, displayName: displayName, description: description,
        createdAt: createdAt, counts: counts, status: status, record: record, since: since))
  }

  private init(_ facts: Facts) { shared = Shared(facts) }

  private func with(_ change: (inout Facts) -> Void) -> AccountView {
    var facts = shared.facts
    change(&facts)
    return AccountView(facts)
  }

  /// The same edge, with the names and counts that another view has.
  public func named(by view: AccountView?) -> AccountView {
    guard let view else { return self }
    return with { facts in
      facts.handle = view.handle ?? handle
      facts.displayName = view.displayName ?? displayName
      facts.description = view.description ?? description
      facts.createdAt = view.createdAt ?? createdAt
      facts.counts = view.counts ?? counts
    }
  }

  /// The same account, with the record of an edge and its date.
  func edge(_ record: ATURI, since: Datetime?) -> AccountView {
    with { ($0.record, $0.since) = (record, since) }
  }

  /// The same account, with what became of it.
  func with(_ status: AccountStatus?) -> AccountView { with { $0.status = status } }

  private struct Facts: Sendable, Hashable {
    let account: DID
    var handle: Handle?
    var displayName: String?
    var description: String?
    var createdAt: Datetime?
    var counts: Counts?
    var status: AccountStatus?
    var record: ATURI?
    var since: Datetime?
  }

  private final class Shared: Sendable, Hashable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }

    static func == (lhs: Shared, rhs: Shared) -> Bool { lhs === rhs || lhs.facts == rhs.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
  }
}

/// What became of an account, by the words of `com.atproto.sync.getRepoStatus` and of AppViews.
public enum AccountStatus: String, Sendable, Hashable, CaseIterable {
  case active
  /// By its owner, who may come back.
  case deactivated
  /// By its server, for a time.
  case suspended
  /// By its server or the AppView.
  case takenDown = "taken-down"
  /// It is gone.
  case deleted
  /// It is there, and its handle leads elsewhere.
  case invalidHandle = "invalid-handle"
}
