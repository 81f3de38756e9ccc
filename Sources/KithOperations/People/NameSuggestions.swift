// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
package import KithRelationships

/// Completes a name while it is typed. Accounts that were seen here come first.
///
/// Nothing is shown before it is known that no block is there: the AppView also shows an account with exactly the handle that was
/// typed, despite a block.
package actor NameSuggestions {
  private let workspace: Workspace
  private let viewer: AuthorizedAccount?
  private let listings: Listings
  /// What is known already; nil for an account that is not shown.
  private var known: [DID: AccountView?] = [:]

  /// - Throws: if the account to act as cannot be used.
  package init(in workspace: Workspace) async throws {
    self.workspace = workspace
    viewer = try await workspace.accountIfAny()
    listings = workspace.listings(
      by: viewer?.appview ?? workspace.appview, as: viewer?.did, usingCache: true)
  }

  /// The matching accounts, those seen here first; none for an empty text.
  ///
  /// - Throws: `RelationshipError`, `CancellationError`.
  package func matches(_ text: String, most: Int) async throws -> [AccountView] {
    let text = text.hasPrefix("@") ? String(text.dropFirst()) : text
    guard !text.allSatisfy(\.isWhitespace) else { return [] }
    let local = await workspace.names().accounts(beginningWith: text, most: most)
    let remote = try await listings.typeahead(text, most: 2 * most)
    var order: [DID] = []
    for account in local + remote.map(\.account) where !order.contains(account) { order.append(account) }
    let unknown = order.filter { known[$0] == nil }
    let found = try await AccountViews(client: listings.client).outcomes(of: unknown)
    let views = try found.values.compactMap { try $0.get() }
    for account in found.keys { known[account] = .some(nil) }
    for view in try await listings.current(views).views { known[view.account] = view }
    let shown = order.compactMap { known[$0] ?? nil }.filter { $0.relationship?.isBlocked != true }
    return Array(shown.prefix(most))
  }
}
