// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

extension Wiring {
  /// What the calls of this run are at, as a progress line tells it: those to the AppView are paced.
  var progress: ProgressState.Traffic {
    let state = traffic.state(of: appview.service)
    return ProgressState.Traffic(
      calls: meter.cost.calls, callsLeft: state?.remaining,
      hold: state?.restsFor.map(ProgressState.Hold.failure)
        ?? state?.heldFor.map(ProgressState.Hold.rateLimit))
  }
}
