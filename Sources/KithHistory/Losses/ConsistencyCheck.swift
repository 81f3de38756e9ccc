// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// Whether a server contradicts itself or may have lost data: edges are gone although the profile still
/// counts them, or so many are gone at once that a second snapshot has to find the same.
struct ConsistencyCheck: Sendable {
  /// Accounts that are gone without a cause that is proven by itself.
  let gone: Set<DID>
  /// Only an AppView shows whether followers are gone; for the other sides a repository or the viewer state
  /// answered for each one.
  private let side: HistoryListing.Side
  private let listed: Int
  /// The profile's count if no account were gone; nil if unknown.
  var expected: Int?
  /// The profile's count; nil if unknown.
  var counted: Int?
  /// The profile's count at the last full snapshot; nil if unknown.
  var countedBefore: Int?
  /// How many accounts came since the count from which the expected one is worked out.
  var arrived = 0
  /// The share of that count that no listing showed, such as suspended accounts.
  var unlistedShare = 0.0
  /// How many accounts the snapshot shows for the first time.
  var new = 0
  /// Whether the listing is now empty.
  var isEmptied = false
  /// Whether only some of the accounts were asked about, because so many are missing.
  var isCut = false
  /// What the last full snapshot withheld.
  var withheld: Set<DID> = []

  init(about gone: Set<DID>, of side: HistoryListing.Side, listed: Int) {
    (self.gone, self.side, self.listed) = (gone, side, listed)
  }

  /// Counts may lag a little behind the listing.
  var allowance: Int { max(3, listed / 200) }

  /// Whether nothing is to be concluded about the accounts that are ``gone``.
  var isTooLarge: Bool { isCut || (isContradicted || isMass) && !isSaidAgain }

  /// Why it is too large.
  var note: String {
    guard isContradicted, !isCut else {
      return "so many seem to be gone that the next snapshot has to confirm it"
    }
    guard let confirmed else { return "many follows seem to be gone, and no profile count confirms it" }
    return "many follows seem to be gone, but the profile counts only \(confirmed) fewer"
  }

  /// By how many the profile's count is lower than expected; nil if unknown.
  private var confirmed: Int? {
    expected.flatMap { expected in counted.map { max(0, expected - $0) } }
  }

  /// A server that was reinstalled or lost its index has few or no edges, and its counts are as low. If more came
  /// than are gone, the listing is alive, and only nobody looked at it for long.
  var isMass: Bool {
    side == .followers
      ? gone.count > max(20, listed / 4) && new < gone.count : isEmptied && gone.count > allowance
  }

  /// The profile also counts accounts that came and were suspended before any snapshot saw them.
  private var isContradicted: Bool {
    let unseen = Int((Double(arrived) * unlistedShare).rounded(.up))
    return side == .followers && gone.count > (confirmed ?? 0) + allowance + unseen
  }

  /// Whether the last full snapshot withheld nearly the same accounts. Without a count both times nothing
  /// is known about followers except the listing, so its repetition proves nothing.
  private var isSaidAgain: Bool {
    if side == .followers, counted == nil || countedBefore == nil { return false }
    let same = gone.intersection(withheld).count
    return !withheld.isEmpty && max(gone.count, withheld.count) - same <= gone.count / 10
  }
}

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

extension HistoryLoss {
  /// Whether the profile's count of followers fell with it: the AppView has no record of the follow anymore.
  var lowersCount: Bool { evidence.has(.noFollow) }
}
