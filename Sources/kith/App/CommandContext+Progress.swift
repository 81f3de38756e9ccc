// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithOperations

extension CommandContext {
  /// A progress line for the rows of this run, on a terminal that can repaint a line; log output temporarily clears
  /// it.
  ///
  /// - Parameter verb: the participle for a row, such as `checked`.
  func progressLine(_ verb: String) -> ProgressLine {
    let isWanted = !common.quiet && environment["TERM"] != "dumb"
    let line = ProgressLine(
      on: isWanted ? ProgressLine.Canvas(process.standardError) : nil, verb: verb,
      write: { [self] in report($0) }
    ) { [self] in progress }
    progressPlace.show(line)
    return line
  }

  /// The state of the calls of this run, for a progress line. The calls that are left are those to the AppView.
  var progress: ProgressState.Traffic {
    let state = workspace.network.traffic.state(of: workspace.appview.service)
    return ProgressState.Traffic(
      calls: workspace.meter.cost.calls, callsLeft: state?.remaining,
      hold: Self.failure(in: workspace.network.traffic.states)
        ?? state?.heldFor.map(ProgressState.Hold.rateLimit))
  }

  /// Shorter waits between two attempts are not worth a word.
  private static let shortestWait = Duration.seconds(1)

  /// The failed host that the run waits for: one whose circuit is open, or one that is tried again while no
  /// call is in flight.
  static func failure(in states: [String: HostState]) -> ProgressState.Hold? {
    let isIdle = states.values.allSatisfy { $0.inFlight == 0 }
    let waits = states.compactMap { host, state -> (host: String, wait: Duration)? in
      let retry = isIdle ? state.retriesIn.flatMap { $0 >= shortestWait ? $0 : nil } : nil
      return (state.restsFor ?? retry).map { (host, $0) }
    }
    return waits.max { ($0.wait, $1.host) < ($1.wait, $0.host) }.map { .failure($0.wait, of: $0.host) }
  }
}
