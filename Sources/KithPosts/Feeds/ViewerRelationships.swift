// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// How a viewer and the authors of posts are related: what an answer says of itself, else profiles, 25 a call.
package struct ViewerRelationships: Sendable {
  private let viewer: DID?
  private let views: AccountViews
  private let concurrency: Int
  private var known: [DID: ViewerRelationship] = [:]
  /// The first error because of which a relationship is unknown.
  package private(set) var fault: (any Error)?

  /// - Parameter viewer: the account that the client is signed in as; nil for none, which nothing is hidden from.
  package init(of viewer: DID?, by client: XRPCClient, concurrency: Int) {
    self.viewer = viewer
    self.concurrency = concurrency
    views = AccountViews(client: client)
  }

  /// Asks about those accounts whose answers do not say how they are related to the viewer.
  ///
  /// - Throws: `CancellationError`.
  package mutating func learn(about accounts: [AccountView]) async throws {
    guard let viewer else { return }
    let silent = Set(accounts.lazy.filter { $0.relationship == nil }.map(\.account))
      .filter { $0 != viewer && known[$0] == nil }
    if silent.isEmpty { return }
    for (account, outcome) in try await views.outcomes(of: silent.sorted(), concurrency: concurrency) {
      switch outcome {
      case .success(let view): known[account] = view?.relationship
      case .failure(let error): fault = fault ?? error
      }
    }
  }

  /// Whether there is a viewer from whom anything is hidden.
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
    account.account == viewer ? ViewerRelationship(.itself) : account.relationship ?? known[account.account]
  }
}

/// Why a post is left out.
package enum LeftOut: Sendable, Hashable, CaseIterable {
  /// A block in either direction, with its author, with whom it is reposted by, or with whom it answers or quotes.
  case blocked
  /// The viewer mutes one of them.
  case muted
  /// The relationship with one of them is unknown.
  case unknown
}
