// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithInsights
import KithRelationships

/// The counts of a profile over time, without those that are in doubt.
///
/// Where the counts were deleted from the history, those that the snapshots kept stand for them.
struct ProfileCounts {
  let followers: [Sample<Int>]
  let follows: [Sample<Int>]
  let posts: [Sample<Int>]
  /// When the last counts of all were read, if they are in doubt; nil if they are not.
  let doubtedAt: Instant?

  /// Reads the counts of an account.
  ///
  /// - Parameter now: a later time is wrong.
  /// - Throws: errors of the store.
  init(of actor: DID, in store: any ObservationStore & CountStore, until now: Instant) async throws {
    let all = try await store.countsInOrder(of: actor, until: now)
    let certain = all.filter { !$0.isDoubted }
    // Of a snapshot in doubt, its counts are in doubt as well.
    func kept(_ side: HistoryListing.Side) async throws -> [Sample<Int>] {
      let snapshots = try await store.snapshots(of: HistoryListing(side, of: actor))
      let facts = snapshots.filter { $0.state == .complete }.map(SnapshotFacts.init)
      return SnapshotSeries(facts, now: now).counted(before: all.first?.at ?? .distantFuture)
    }
    followers = try await kept(.followers) + certain.counts(\.followers)
    follows = try await kept(.follows) + certain.counts(\.follows)
    posts = certain.counts(\.posts)
    doubtedAt = all.last.flatMap { $0.isDoubted ? $0.at : nil }
  }

  /// When the account was first counted; nil if it never was.
  var firstAt: Instant? { [followers, follows, posts].compactMap(\.first?.at).min() }
}

extension SnapshotSeries {
  /// What the profile counted at the beginning of each snapshot before a time, where that is certain.
  fileprivate func counted(before end: Instant) -> [Sample<Int>] {
    snapshots.filter { $0.startedAt < end && !$0.isDoubtful && !$0.isMisplaced }.compactMap { snapshot in
      snapshot.counted.map { Sample<Int>(at: snapshot.startedAt, $0) }
    }
  }
}

extension [CountSample] {
  /// One of the counts over time, without unknown values.
  fileprivate func counts(_ part: (AccountView.Counts) -> Int?) -> [Sample<Int>] {
    compactMap { sample in part(sample.value).map { Sample<Int>(at: sample.at, $0) } }
  }
}
