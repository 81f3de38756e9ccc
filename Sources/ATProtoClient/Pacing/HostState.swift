// SPDX-License-Identifier: Apache-2.0

/// How the traffic to one host stands at a moment.
public struct HostState: Sendable, Hashable {
  /// Calls that may be under way at once, just now.
  public let window: Int
  /// Calls under way.
  public let inFlight: Int
  /// Calls that wait for their turn.
  public let waiting: Int
  /// Calls that the rate limit allows in a window; nil when the host told of none. Of several limits it is the
  /// one that binds most methods.
  public let limit: Int?
  /// The length of that window.
  public let limitWindow: Duration?
  /// Calls left in the current window, those under way not yet taken off; nil when that is not known.
  public let remaining: Int?
  /// How long until the window resets.
  public let untilReset: Duration?
  /// How long the rate limit holds the next call, of those that wait if any do; nil when it does not.
  public let heldFor: Duration?
  /// How long the host, which failed, is still left alone; nil when it is asked as usual.
  public let restsFor: Duration?

  init(_ traffic: HostTraffic, at now: Duration) {
    window = traffic.window.size
    inFlight = traffic.inFlight
    waiting = traffic.waiting
    let allowance = traffic.allowances.main
    limit = allowance.limit
    limitWindow = allowance.window
    remaining = allowance.remaining(at: now)
    untilReset = allowance.reset(at: now).map { $0 - now }
    heldFor = traffic.hold(at: now).map { $0 - now }
    restsFor = traffic.circuit.rest(at: now)
  }
}
