// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Paces the calls to every host, across all clients that share it.
///
/// For each host (scheme, name and port) it limits the number of concurrent calls, obeys the rate limit that
/// the host reports, and stops calling a failed host for a while. Share one among all clients of an app; two
/// would overrun a limit together.
///
/// Calls that a host passes on to another service (`atproto-proxy`) are paced separately: if an AppView fails
/// or refuses, its PDS may be fine.
public final class Traffic: Sendable {
  /// How a ``Traffic`` paces calls.
  public struct Configuration: Sendable, Hashable {
    /// The maximum number of concurrent calls to one host; lowered while the host shows strain, never below
    /// one.
    public var ceiling: Int
    /// How long a failed host is not called at first; doubled each time it fails again.
    public var firstCoolDown: Duration
    /// The maximum of that time.
    public var longestCoolDown: Duration

    /// The defaults: eight concurrent calls; three seconds, at most a minute.
    public init(
      ceiling: Int = 8, firstCoolDown: Duration = .seconds(3), longestCoolDown: Duration = .seconds(60)
    ) {
      self.ceiling = ceiling
      self.firstCoolDown = firstCoolDown
      self.longestCoolDown = longestCoolDown
    }
  }

  /// The number of hosts from which idle ones are removed.
  private static let manyHosts = 256

  /// A host, or a service behind it.
  private struct Route: Hashable, CustomStringConvertible {
    let origin: String
    let proxy: ServiceReference?

    var description: String { proxy.map { "\(origin) to \($0)" } ?? origin }
  }

  private struct Hosts {
    var gates: [Route: HostLimiter] = [:]
    /// The number of hosts at which idle ones are removed next: twice the number left the last time, which
    /// keeps the amortized cost per host constant.
    var most = manyHosts
  }

  private let configuration: Configuration
  private let time: TimeSource
  private let hosts = PosixMutex(Hosts())

  /// Creates a value without any known host.
  ///
  /// - Parameter time: Measures and waits; a manual clock in tests.
  public init(configuration: Configuration = Configuration(), time: TimeSource = .system) {
    self.configuration = configuration
    self.time = time
  }

  /// The state of the traffic to each host that a client was created for, by its origin (`https://host`), or
  /// by `https://host to did:web:example.com#service` for a service behind it.
  package var states: [String: HostState] {
    let gates = hosts.withLock(\.gates).map { ($0.key.description, $0.value.state) }
    return Dictionary(gates) { first, _ in first }
  }

  /// Returns the state of the traffic to one host, or to a service behind it; nil if no client was created
  /// for it.
  package func state(of service: ServiceURL, proxy: ServiceReference? = nil) -> HostState? {
    hosts.withLock { $0.gates[Route(origin: service.origin, proxy: proxy)] }?.state
  }

  /// - Parameter proxy: The service that the host passes the calls on to.
  func limiter(for origin: String, proxy: ServiceReference? = nil) -> HostLimiter {
    let route = Route(origin: origin, proxy: proxy)
    return hosts.withLock { hosts in
      if let limiter = hosts.gates[route] { return limiter }
      if hosts.gates.count >= hosts.most {
        Self.forgetIdle(&hosts.gates)
        hosts.most = max(Self.manyHosts, 2 * hosts.gates.count)
      }
      let limiter = HostLimiter(configuration, time: time)
      hosts.gates[route] = limiter
      return limiter
    }
  }

  /// Removes only gates that no client holds, so a host never has two.
  private static func forgetIdle(_ gates: inout [Route: HostLimiter]) {
    for route in Array(gates.keys) {
      guard var limiter = gates.removeValue(forKey: route) else { continue }
      if !isKnownUniquelyReferenced(&limiter) || !limiter.read({ $0.isIdle(at: $1) }) {
        gates[route] = limiter
      }
    }
  }
}
