// SPDX-License-Identifier: Apache-2.0

/// The state of the traffic to one host at one moment.
package struct HostState: Sendable, Hashable {
  /// The current maximum of concurrent calls.
  package let window: Int
  /// Calls in flight.
  package let inFlight: Int
  /// Calls that wait for their turn.
  package let waiting: Int
  /// The calls that the rate limit allows per window; nil if the host reported none. Of several limits, the
  /// one that applies to most methods.
  package let limit: Int?
  /// The length of that window.
  package let limitWindow: Duration?
  /// The calls left in the current window, not reduced by those in flight; nil if unknown.
  package let remaining: Int?
  /// How long until the window resets.
  package let untilReset: Duration?
  /// How long the rate limit holds the next call, or the first waiting one if calls wait; nil if it does not.
  package let heldFor: Duration?
  /// How long the circuit of the host stays open; nil if it is closed.
  package let restsFor: Duration?

  /// How long until the next failed call is repeated; nil if none waits for that, or if a call is in flight.
  package let retriesIn: Duration?

  /// - Parameter nextAttempt: when the next failed call is repeated; nil if none waits for that.
  init(_ traffic: HostLimiterState, nextAttempt: Duration? = nil, at now: Duration) {
    window = traffic.window.size
    inFlight = traffic.inFlight
    waiting = traffic.waiting
    let allowance = traffic.allowances.main
    limit = allowance.limit
    limitWindow = allowance.window
    remaining = allowance.remaining(at: now)
    untilReset = allowance.reset(at: now).map { $0 - now }
    heldFor = traffic.hold(at: now).map { $0 - now }
    restsFor = traffic.circuit.remainingPause(at: now)
    retriesIn = traffic.inFlight == 0 ? nextAttempt.map { max(.zero, $0 - now) } : nil
  }
}
