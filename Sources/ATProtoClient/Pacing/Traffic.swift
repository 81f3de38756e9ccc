// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Paces the calls to every host, over all clients that share it.
///
/// For each host (scheme, name and port) it bounds how many calls are in flight at once, keeps to the rate
/// limit that the host's answers report, and leaves a dead host alone. Share one among all clients of an
/// app: two that do not know of each other overrun a limit together.
///
/// Calls that a host passes on to another service (`atproto-proxy`) are paced apart from its own: a PDS answers
/// for an AppView that fails or refuses, and is well itself.
public final class Traffic: Sendable {
  /// How a ``Traffic`` paces calls.
  public struct Configuration: Sendable, Hashable {
    /// The most calls under way at one host at once; fewer while it is strained, never below one.
    public var ceiling: Int
    /// How long a host that failed is left alone at first; doubled each time it fails again.
    public var firstCoolDown: Duration
    /// It is never left alone for longer.
    public var longestCoolDown: Duration

    /// Eight calls at once; three seconds, at most a minute.
    public init(
      ceiling: Int = 8, firstCoolDown: Duration = .seconds(3), longestCoolDown: Duration = .seconds(60)
    ) {
      self.ceiling = ceiling
      self.firstCoolDown = firstCoolDown
      self.longestCoolDown = longestCoolDown
    }
  }

  /// Hosts that are remembered before those are forgotten of which nothing need be known.
  private static let manyHosts = 256

  /// A host, or a service behind it.
  private struct Route: Hashable, CustomStringConvertible {
    let origin: String
    let proxy: ServiceReference?

    var description: String { proxy.map { "\(origin) to \($0)" } ?? origin }
  }

  private struct Hosts {
    var gates: [Route: HostGate] = [:]
    /// How many there are when they are looked through next. Twice those that were left the last time, so that a
    /// host costs a few looks, however many there are of which something must be known.
    var most = manyHosts
  }

  private let configuration: Configuration
  private let time: TimeSource
  private let hosts = PosixMutex(Hosts())

  /// Starts without knowing of any host.
  ///
  /// - Parameter time: measures and waits; a manual clock in tests.
  public init(configuration: Configuration = Configuration(), time: TimeSource = .system) {
    self.configuration = configuration
    self.time = time
  }

  /// The state of the traffic to each host that a client was made for, by its origin (`https://host`); to a service
  /// behind it as `https://host to did:web:example.com#service`.
  public var states: [String: HostState] {
    let gates = hosts.withLock(\.gates).map { ($0.key.description, $0.value.read(HostState.init)) }
    return Dictionary(gates) { first, _ in first }
  }

  /// The state of the traffic to one host, or to a service behind it; nil while no client was made for it.
  public func state(of service: ServiceURL, proxy: ServiceReference? = nil) -> HostState? {
    hosts.withLock { $0.gates[Route(origin: service.origin, proxy: proxy)] }?.read(HostState.init)
  }

  /// - Parameter proxy: the service that the host passes the calls on to.
  func gate(for origin: String, proxy: ServiceReference? = nil) -> HostGate {
    let route = Route(origin: origin, proxy: proxy)
    return hosts.withLock { hosts in
      if let gate = hosts.gates[route] { return gate }
      if hosts.gates.count >= hosts.most {
        Self.forgetIdle(&hosts.gates)
        hosts.most = max(Self.manyHosts, 2 * hosts.gates.count)
      }
      let gate = HostGate(configuration, time: time)
      hosts.gates[route] = gate
      return gate
    }
  }

  /// Only gates that no client holds go, so that no host ever has two.
  private static func forgetIdle(_ gates: inout [Route: HostGate]) {
    for route in Array(gates.keys) {
      guard var gate = gates.removeValue(forKey: route) else { continue }
      if !isKnownUniquelyReferenced(&gate) || !gate.read({ $0.isIdle(at: $1) }) { gates[route] = gate }
    }
  }
}
