// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

extension Wiring {
  /// A progress line for the rows of this run; log output temporarily clears it.
  ///
  /// - Parameter verb: the participle for a row, such as `checked`.
  func progressLine(_ verb: String) -> ProgressLine {
    let line = common.progress(verb, environment: environment) { [self] in progress }
    progressPlace.take(line)
    return line
  }

  /// The state of the calls of this run, for a progress line: calls to the AppView are paced.
  var progress: ProgressState.Traffic {
    let state = traffic.state(of: appview.service)
    return ProgressState.Traffic(
      calls: meter.cost.calls, callsLeft: state?.remaining,
      hold: state?.restsFor.map(ProgressState.Hold.failure)
        ?? state?.heldFor.map(ProgressState.Hold.rateLimit))
  }
}
