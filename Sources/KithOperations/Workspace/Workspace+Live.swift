// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
package import KithHistory
import KithRelationships

extension Workspace {
  /// Follows listings by the stream of the network, signed out: the history is what anybody sees.
  package func live(in store: any HistoryStore) -> LiveHistory {
    LiveHistory(
      listings(by: appview), store: store, names: names(), host: services.jetstream, transport: transport)
  }

  /// Profiles that do not expire: a stream keeps their counts current, and drops those that it cannot.
  ///
  /// - Parameter overlay: what the stream tells; nil for profiles that are read only once.
  func liveProfiles(as account: DID, _ overlay: OptimisticOverlay?) -> ProfileService {
    ProfileService(
      account: account, client: appview, policy: .init(lifetime: .seconds(100 * 86_400), capacity: 20_000),
      overlay: overlay)
  }
}

extension [HistoryListing] {
  /// The followers and follows of accounts.
  init(followsOf actors: [DID], in graphs: [FollowGraph] = [.bluesky]) {
    self = actors.flatMap { actor in
      graphs.flatMap {
        [HistoryListing(.followers, of: actor, in: $0), HistoryListing(.follows, of: actor, in: $0)]
      }
    }
  }
}
