// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

extension Wiring {
  /// What the calls of this run are at, as a progress line tells it.
  var progress: ProgressState.Traffic { ProgressState.Traffic(calls: meter.cost.calls) }
}
