// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The estimated cost of a run, computed before it begins.
///
/// Counts the calls of a run with a cold cache and without errors. Retries and session refreshes are not
/// included.
public struct CostPlan: Sendable, Hashable {
  /// What a number relies on. Without assumptions the number is exact.
  public struct Assumptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The AppView shows every named account. Each account that it does not show (nonexistent, suspended or
    /// deactivated) costs one more call; an account named in two ways costs less.
    public static let existence = Assumptions(rawValue: 1)
    /// All targets arrive at once, and none is repeated after hundreds of others.
    public static let input = Assumptions(rawValue: 2)
    /// An upper bound from a server's count. Counts may lag behind (Q12).
    public static let counts = Assumptions(rawValue: 4)
    /// An upper bound: changes that already hold cost nothing.
    public static let facts = Assumptions(rawValue: 8)
    /// No number: no server provides the count it depends on.
    public static let uncounted = Assumptions(rawValue: 16)
    /// The viewer mutes at most 100 accounts and no lists.
    public static let mutes = Assumptions(rawValue: 32)
  }

  /// One kind of call.
  public struct Step: Sendable, Hashable {
    /// The name under which `CallMeter` counts the call: a method, or a DID document.
    public let name: String
    /// The collection whose records are read; nil if the call is not about one.
    public let collection: NSID?
    /// Number of calls; nil if unknown.
    public let calls: Int?
    /// Bytes in both directions before compression; nil if the number of calls is unknown.
    public let bytes: Int?
    /// Write budget points.
    public let points: Int
    /// Duration of the calls without rate limits; nil if the number of calls is unknown.
    public let time: Duration?
    /// What the numbers rely on.
    public let assumptions: Assumptions

    /// Whether the actual number of calls may differ.
    public var isEstimate: Bool { !assumptions.isEmpty }
  }

  /// Assumed round trip of one call to a public server.
  public static let roundTrip = Duration.milliseconds(100)
  /// Assumed bytes of request and response headers over HTTP/2.
  private static let bytesPerCall = 400

  /// The calls, in the order in which they begin.
  public private(set) var steps: [Step] = []
  /// Number of distinct targets; nil if unknown.
  public var targets: Int?
  /// How long the write budget delays the run; nil if the budget never allows it.
  public var wait: Duration? = .zero
  private let lanes: Int

  /// Creates a plan without steps.
  ///
  /// - Parameter concurrency: concurrent calls.
  package init(concurrency: Int = 8) { lanes = max(1, concurrency) }

  /// Adds calls that run after the previous steps; does nothing for zero calls.
  ///
  /// - Parameters:
  ///   - payload: bytes besides headers.
  ///   - inTurn: whether the calls are sequential.
  package mutating func add(
    _ name: String, of collection: NSID? = nil, calls: Int?, payload: Int = 0, points: Int = 0,
    inTurn: Bool = false, assuming assumptions: Assumptions = []
  ) {
    if calls == 0 { return }
    steps.append(
      Step(
        name: name, collection: collection, calls: calls,
        bytes: calls.map { $0 * Self.bytesPerCall + payload }, points: points,
        time: calls.map { Self.roundTrip * Self.batches($0, of: inTurn ? 1 : lanes) },
        assumptions: calls == nil ? assumptions.union(.uncounted) : assumptions))
  }

  /// The calls of both, one after the other.
  public static func + (one: CostPlan, other: CostPlan) -> CostPlan {
    var sum = one
    sum.steps += other.steps
    sum.targets =
      one.targets.flatMap { one in other.targets.map { one + $0 } } ?? other.targets ?? one.targets
    sum.wait = one.wait.flatMap { one in other.wait.map { one + $0 } }
    return sum
  }

  /// Total number of calls; nil if that of a step is unknown.
  public var calls: Int? { sum(\.calls) }
  /// Bytes in both directions before compression; nil if a number of calls is unknown.
  public var bytes: Int? { sum(\.bytes) }
  /// Total write budget points.
  public var points: Int { steps.reduce(0) { $0 + $1.points } }
  /// What the numbers rely on.
  public var assumptions: Assumptions { steps.reduce(into: []) { $0.formUnion($1.assumptions) } }

  /// Total duration, including waiting for the write budget; nil if a number of calls is unknown or the budget never
  /// allows them. Steps run one after another.
  public var time: Duration? {
    guard calls != nil, let wait else { return nil }
    return steps.reduce(wait) { $0 + ($1.time ?? .zero) }
  }

  private func sum(_ part: (Step) -> Int?) -> Int? {
    steps.reduce(0) { sum, step in
      guard let sum, let part = part(step) else { return nil }
      return sum + part
    }
  }

  /// The number of batches of a size needed for a count.
  package static func batches(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }
}
