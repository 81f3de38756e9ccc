// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

extension LossCause {
  /// Whether only the absence of an edge speaks for it, so that a server that lost data gives the same
  /// answer.
  var mayBeDoubted: Bool {
    switch self {
    case .unfollowed, .removed, .unknown: true
    case .blockedBy, .blocking, .deleted, .deactivated, .suspended: false
    }
  }
}

extension Snapshot.Counts {
  /// Up to how many accounts may be gone before other servers are asked: one in two hundred, but at least three.
  var allowance: Int { max(3, listed / 200) }
}

extension Snapshot {
  /// Whether the AppView lacks more followers than a count may lag behind, so that its count is not that of the followers.
  package var hasDoubtedCount: Bool { counts.doubted > counts.allowance }
}

/// Which losses need more than the word of the server that no longer shows the edges.
struct LossDoubt: Sendable {
  /// Where the proof of an edge is.
  enum Proof: Sendable {
    /// In the repositories of other accounts, of which an AppView has a copy.
    case othersRepositories
    /// A server was asked about each account that has the edges themselves.
    case server
  }

  let proof: Proof
  /// The accounts whose losses the last full snapshot did not believe.
  let withheld: Set<DID>
  /// The accounts on the listing before.
  let listed: Snapshot.Counts
  /// Whether the AppView is another one than before.
  var isAnotherAppView = false
  /// Whether the listing is now empty, although nothing shows that the server still has its data.
  var isEmptied = false
  /// How many accounts the snapshot shows for the first time.
  var new = 0

  init(_ listing: HistoryListing, listed: Snapshot.Counts, withheld: Set<DID>) {
    proof = listing.side == .followers ? .othersRepositories : .server
    self.listed = listed
    self.withheld = withheld
  }

  /// Whether a loss is in doubt if it is one of some number.
  func applies(to loss: HistoryLoss, of count: Int) -> Bool {
    guard mayBeDoubted(loss) else { return false }
    let areMany = count > listed.allowance
    switch proof {
    case .othersRepositories: return areMany || isAnotherAppView || withheld.contains(loss.account)
    case .server: return areMany && isEmptied
    }
  }

  /// Whether the server that no longer shows an edge is the only one to say so.
  func mayBeDoubted(_ loss: HistoryLoss) -> Bool {
    loss.cause.mayBeDoubted && !(proof == .othersRepositories && loss.evidence.has(.noRecord))
  }

  /// Whether as many accounts are missing as after the loss of a server's data. If more came than are gone, the listing
  /// is alive, and its snapshots are only far apart.
  func mayBeOutage(missing: Int) -> Bool {
    switch proof {
    case .othersRepositories: missing > max(20, listed.listed / 4) && new < missing
    case .server: isEmptied && missing > listed.allowance
    }
  }

  /// Whether the last full snapshot withheld nearly all of these accounts.
  func isRepeated(_ missing: Set<DID>) -> Bool {
    let same = missing.intersection(withheld).count
    return same > 0 && missing.count - same <= missing.count / 10
  }
}
