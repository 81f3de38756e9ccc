// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithPosts
import KithRelationships

/// Shows an account: its profile, how the signed-in account and it are related, and what it has posted last.
///
/// An account that a block hides, or that is gone, is shown with what its servers know.
public struct ShowProfile: KithOperation {
  public static let name = "showProfile"

  /// How many posts are shown if no number is named.
  public static let usualPosts = 3

  /// The account.
  public var actor: ATIdentifier
  /// How many of its latest posts are shown; no reposts.
  public var posts: Int

  /// Creates the operation.
  public init(_ actor: ATIdentifier, posts: Int = usualPosts) { (self.actor, self.posts) = (actor, posts) }

  /// What was found.
  public struct Outcome: OutcomeOfRows {
    /// Whether the AppView shows the account.
    public fileprivate(set) var isShown = false
    /// How the row was delivered.
    public fileprivate(set) var rows = RowsOutcome()

    public var ending: Ending { Ending(rows, failure: isShown ? nil : .notFound) }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "isShown": .bool(isShown),
      ])
    }
  }

  /// - Throws: `IdentityError` if there is no such account; `RelationshipError`, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<ProfileRow>) async throws -> Outcome {
    let account = try await workspace.cachedIdentities.did(of: actor)
    let viewer = try await workspace.accountIfAny()
    let listings = workspace.listings(
      by: viewer?.appview ?? workspace.appview, as: viewer?.did, usingCache: true)
    let card = try await listings.card(of: account)
    var row = ProfileRow(
      view: (card?.view ?? AccountView(account)).with(
        card == nil
          ? try await listings.statuses.survey([account])[account]?.outcome.evidence.status : .active))
    let (current, failure) = try await listings.current([row.view])
    row.view = current[0]
    var fault: (any Error)? = failure
    if let card {
      (row.pronouns, row.website, row.avatar, row.banner) = (
        card.pronouns, card.website, card.avatar, card.banner
      )
      row.knownFollowers = card.knownFollowers
      await workspace.names().remember([card.view])
      fault = try await addPosts(to: &row, listings) ?? fault
    }
    if let viewer, viewer.did != account {
      fault = try await addEdges(to: &row, of: viewer, listings) ?? fault
      let shared = try await listings.sharedLists(of: viewer.did)
      row.lists = shared.lists.filter { $0.members.contains(account) }.map(\.list)
      fault = fault ?? shared.fault
    } else if viewer != nil {
      row.view = row.view.with(ViewerRelationship(.itself))
    }
    var outcome = Outcome(isShown: card != nil)
    outcome.rows = await report.deliver([row]).marked(interruptedBy: fault)
    return outcome
  }

  /// Adds the latest posts.
  ///
  /// - Returns: why they may be missing; a block does not count as a failure.
  private func addPosts(to row: inout ProfileRow, _ listings: Listings) async throws -> (any Error)? {
    guard posts > 0, row.view.relationship?.isBlocked != true else { return nil }
    var reader = Feeds(listings).read(
      .author(.did(row.view.account)), skipping: .reposts, pageSize: max(10, posts))
    do {
      var found: [FeedItem] = []
      while found.count < posts, let items = try await reader.next(most: posts - found.count) {
        found += items
      }
      row.posts = found.map(\.post.summary)
    } catch let error as RelationshipError {
      return [.hiddenByBlock, .actorNotFound].contains(error.code) ? nil : error
    }
    return reader.coverage.fault
  }

  /// Adds since when both follow each other, and the relationship where the profile does not say it.
  private func addEdges(
    to row: inout ProfileRow, of viewer: AuthorizedAccount, _ listings: Listings
  ) async throws -> (any Error)? {
    for try await answer in listings.freshRelationships.relationships(
      of: viewer.did, with: [row.view.account])
    {
      switch answer.state {
      case .known(let info):
        row.followingSince = info.following?.claimedDate
        row.followedSince = info.followedBy?.claimedDate
        if row.view.relationship == nil { row.view = row.view.with(ViewerRelationship(info)) }
      case .failed(let error): return error
      case .itself, .notFound: break
      }
    }
    return nil
  }
}

/// Names the page of an account in the app of Bluesky, by its handle if it has a valid one.
public struct ProfilePage: KithOperation {
  public static let name = "profilePage"

  public typealias Row = Never

  /// The account.
  public var actor: ATIdentifier

  /// Creates the operation.
  public init(_ actor: ATIdentifier) { self.actor = actor }

  /// What was found.
  public struct Outcome: OperationOutcome {
    /// The URL of the page.
    public let page: String

    public var ending: Ending { .done }
    public var fields: [OutputField] { [OutputField("page", .string(page))] }
  }

  /// - Throws: `IdentityError` if there is no such account.
  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let account = try await workspace.cachedIdentities.did(of: actor)
    let views = try await workspace.names().views(of: [account], asking: true)
    return Outcome(page: ProfileRow(view: views[account] ?? AccountView(account)).page)
  }
}
