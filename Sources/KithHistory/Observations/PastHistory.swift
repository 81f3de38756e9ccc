// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// What full snapshots of accounts saw elsewhere, the oldest first.
package struct PastHistory: Sendable, Equatable {
  /// A snapshot, as its changes from the one before; the first one lists all accounts.
  package struct Snapshot: Sendable, Equatable {
    package let listing: HistoryListing
    package let at: Instant
    /// The profile's count; nil if no server counts these accounts.
    package let counted: Int?
    /// The accounts that came, and those whose records have another key.
    package var listed: [HistoryEdge] = []
    package var losses: [HistoryLoss] = []

    package init(_ listing: HistoryListing, at moment: Instant, counted: Int?) {
      (self.listing, at, self.counted) = (listing, moment, counted)
    }
  }

  package var snapshots: [Snapshot] = []
  /// The counts of profiles.
  package var counts: [DID: [Sample<AccountView.Counts>]] = [:]
  /// The names of accounts; of several for one account, the last is the newest.
  package var names: [AccountView] = []

  package init() {}

  /// The accounts that it is about.
  package var actors: Set<DID> { Set(snapshots.map(\.listing.actor)).union(counts.keys) }
}
