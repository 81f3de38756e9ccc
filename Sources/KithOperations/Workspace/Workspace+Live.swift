// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithHistory
import KithRelationships

extension Workspace {
  /// Follows listings by the stream of the network, signed out: the history is what anybody sees.
  package func live(in store: any HistoryStore) -> LiveHistory {
    LiveHistory(
      listings(by: appview), store: store, names: names(), host: services.jetstream, transport: transport)
  }
}
