// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages

extension Dashboard {
  /// People who may be worth a follow.
  static func addDiscovery(to routes: inout LocalRoutes<Action>) {
    routes.add("GET", "/{account}/discover") { _, visit in try await DiscoverPage(visit).response() }
    routes.add("POST", "/{account}/discover/dismiss") { _, visit in try await DismissedPeople.change(visit) }
  }
}
