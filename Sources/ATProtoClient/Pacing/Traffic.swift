// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Paces the calls to every host, over all clients that share it.
///
/// For each host (scheme, name and port) it bounds how many calls are under way at once, keeps to the rate
/// limit that the host's answers tell of, and leaves a dead host alone. Share one among all clients of an
/// app: two that do not know of each other overrun a limit together.
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

  private struct Hosts {
    var gates: [String: HostGate] = [:]
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

  /// How the traffic to each host stands that a client was made for, by its origin (`https://host`).
  public var states: [String: HostState] {
    hosts.withLock(\.gates).mapValues { $0.read(HostState.init) }
  }

  /// How the traffic to one host stands; nil while no client was made for it.
  public func state(of service: ServiceURL) -> HostState? {
    hosts.withLock { $0.gates[service.origin] }?.read(HostState.init)
  }

  func gate(for origin: String) -> HostGate {
    hosts.withLock { hosts in
      if let gate = hosts.gates[origin] { return gate }
      if hosts.gates.count >= hosts.most {
        Self.forgetIdle(&hosts.gates)
        hosts.most = max(Self.manyHosts, 2 * hosts.gates.count)
      }
      let gate = HostGate(configuration, time: time)
      hosts.gates[origin] = gate
      return gate
    }
  }

  /// Only gates that no client holds go, so that no host ever has two.
  private static func forgetIdle(_ gates: inout [String: HostGate]) {
    for origin in Array(gates.keys) {
      guard var gate = gates.removeValue(forKey: origin) else { continue }
      if !isKnownUniquelyReferenced(&gate) || !gate.read({ $0.isIdle(at: $1) }) { gates[origin] = gate }
    }
  }
}
