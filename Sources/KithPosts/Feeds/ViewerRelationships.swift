// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// How a viewer and the authors of posts are related: what an answer says of itself, else profiles, 25 a call.
package struct ViewerRelationships: Sendable {
  private let viewer: DID?
  private let views: AccountViews
  private let concurrency: Int
  /// Knows what was changed on this machine a short time ago; nil if answers are taken as they are.
  private let listings: Listings?
  private var known: [DID: ViewerRelationship] = [:]
  /// What counts instead of an answer that lags behind; nil where that could not be found out.
  private var changed: [DID: ViewerRelationship?] = [:]
  /// The accounts of which it is known whether their relationship was changed.
  private var compared: Set<DID> = []
  /// The first error because of which a relationship is unknown.
  package private(set) var fault: (any Error)?

  /// - Parameters:
  ///   - viewer: the account that the client is signed in as; nil for none, which nothing is hidden from.
  ///   - listings: those of the viewer, which know what was changed on this machine a short time ago; nil for none.
  package init(
    of viewer: DID?, by client: XRPCClient, concurrency: Int, correctedBy listings: Listings? = nil
  ) {
    self.viewer = viewer
    self.listings = listings
    self.concurrency = concurrency
    views = AccountViews(client: client)
  }

  /// Asks about those accounts whose answers do not say how they are related to the viewer.
  ///
  /// - Throws: `CancellationError`.
  package mutating func learn(about accounts: [AccountView]) async throws {
    guard let viewer else { return }
    defer { compared.formUnion(accounts.lazy.map(\.account)) }
    let silent = Set(accounts.lazy.filter { $0.relationship == nil }.map(\.account))
      .filter { $0 != viewer && known[$0] == nil }
    var told = accounts.filter { $0.relationship != nil }
    if !silent.isEmpty {
      for (account, outcome) in try await views.outcomes(of: silent.sorted(), concurrency: concurrency) {
        switch outcome {
        case .success(let view):
          known[account] = view?.relationship
          told += [view].compactMap(\.self)
        case .failure(let error): fault = fault ?? error
        }
      }
    }
    try await correct(told.filter { !compared.contains($0.account) })
  }

  /// Learns where answers lag behind what was changed on this machine.
  private mutating func correct(_ told: [AccountView]) async throws {
    guard let listings, !told.isEmpty else { return }
    let (current, failure) = try await listings.current(told)
    fault = fault ?? failure
    for (view, answer) in zip(current, told) where view.relationship != answer.relationship {
      changed[view.account] = .some(view.relationship)
    }
  }

  /// Whether there is a viewer, so that anything can be hidden.
  var hasViewer: Bool { viewer != nil }

  /// Why something of an account is left out; nil if it is not.
  package func reason(against account: AccountView) -> LeftOut? {
    guard let viewer, account.account != viewer else { return nil }
    guard let relationship = relationship(with: account) else { return .unknown }
    return relationship.isBlocked ? .blocked : relationship.muted == true ? .muted : nil
  }

  /// Whether the viewer mutes a part of what an account posts.
  func isMuted(_ scope: MuteScope, of account: AccountView) -> Bool {
    viewer != nil && relationship(with: account)?.partlyMuted.contains(scope) == true
  }

  /// How the viewer and an account are related; nil if unknown, or without a viewer.
  package func relationship(with account: AccountView) -> ViewerRelationship? {
    if account.account == viewer { return ViewerRelationship(.itself) }
    if let current = changed[account.account] { return current }
    return account.relationship ?? known[account.account]
  }
}

/// Why a post is left out.
package enum LeftOut: Sendable, Hashable, CaseIterable {
  /// A block in either direction with its author, with the account that reposted it, or with one that it replies to or quotes.
  case blocked
  /// The viewer mutes one of them.
  case muted
  /// The relationship with one of them is unknown.
  case unknown
}
