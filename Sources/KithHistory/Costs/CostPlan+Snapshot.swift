// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons
package import KithRelationships

extension CostPlan {
  /// Adds the cost of a full snapshot of an actor without missing accounts. Missing accounts cost one call
  /// per 30, one per 25, and at least one for each account that the AppView does not show. If their loss is in doubt,
  /// the repositories of up to 100 cost at least one each.
  ///
  /// - Parameters:
  ///   - followers: see ``addListing(_:entries:)``.
  ///   - follows: number of records as an AppView counts them.
  package mutating func addSnapshot(_ sides: [HistoryListing.Side], followers: Int?, follows: Int?) {
    add(Self.profiles, calls: 1, payload: Self.bytesPerProfile)
    let fromRepository = sides.filter { [.follows, .blocks, .members].contains($0) }
    if !fromRepository.isEmpty { add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .facts) }
    for side in sides {
      switch side {
      case .followers:
        addListing(App.Bsky.Graph.GetFollowers.nsid, entries: followers)
        addKeys(of: followers)
      case .mutes: addListing(App.Bsky.Graph.GetMutes.nsid, entries: nil)
      case .follows: addRecords(.follow, count: follows)
      case .blocks: addRecords(.block, count: nil)
      case .members:
        addRecords(.list, count: nil)
        addRecords(.listitem, count: nil)
      }
    }
  }

  /// Adds the cost of asking the repositories of followers that the last snapshot kept although the AppView no longer
  /// showed them; at most 21 calls for each, but one where the key of the record is known.
  package mutating func addDoubt(about doubted: Int) {
    let asked = doubted <= RepositoryPoll.mostAsked ? doubted : RepositoryPoll.sampleSize
    add(CallMeter.documents, calls: asked, payload: 1_000 * asked, assuming: .facts)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)", of: .follow, calls: asked, payload: 500 * asked, assuming: .facts)
  }

  /// Adds the cost of the keys that a snapshot learns on the way, for followers whose keys are not known yet.
  private mutating func addKeys(of followers: Int?) {
    addRelationships(of: min(followers ?? SnapshotRecorder.keysOnTheWay, SnapshotRecorder.keysOnTheWay))
  }

  /// Adds the cost of the keys of all followers that a snapshot has not learned on the way.
  package mutating func addRemainingKeys(of followers: Int?) {
    addRelationships(of: max(0, (followers ?? 0) - SnapshotRecorder.keysOnTheWay))
  }

  private mutating func addRelationships(of most: Int) {
    let size = AppViewRelationshipSource.targetsPerCall
    add(
      "\(App.Bsky.Graph.GetRelationships.nsid)", calls: Self.batches(most, of: size), payload: most * 200,
      assuming: .facts)
  }

  /// Adds the cost of snapshots of the graphs of other apps, whose sizes no server tells.
  package mutating func addSnapshots(_ sides: [HistoryListing.Side], in graphs: [FollowGraph]) {
    for graph in graphs {
      if sides.contains(.followers) { add("\(Blue.Microcosm.Links.GetBacklinks.nsid)", calls: nil) }
      if sides.contains(.follows) { addRecords(graph.collection, count: nil) }
    }
  }
}
