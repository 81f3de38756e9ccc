// SPDX-License-Identifier: Apache-2.0

/// How often, how patiently and for how long a call that is safe to repeat is repeated.
public struct RetryPolicy: Sendable, Hashable {
  /// Attempts in all, the first included; 1 means that nothing is repeated.
  public var attempts: Int
  /// The ceiling of the first wait; each further one may be twice as long (full jitter).
  public var firstDelay: Duration
  /// No wait of our own choosing is longer.
  public var longestDelay: Duration
  /// From the first attempt on; a wait that would end later is not begun.
  public var budget: Duration

  /// Four attempts within thirty seconds.
  public init(
    attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(5),
    budget: Duration = .seconds(30)
  ) {
    self.attempts = attempts
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.budget = budget
  }

  /// Every call is made once.
  public static let never = RetryPolicy(attempts: 1)
}

/// The state of one call between its attempts: told of each failure, it answers what to do next.
///
/// Waits are drawn evenly between nothing and a ceiling that doubles (full jitter), so that clients which
/// failed together do not come back together. A wait that the server asks for is kept, never shortened: what
/// is drawn comes on top of it, as far as the budget goes.
struct RetrySchedule {
  /// What to do after a failed attempt.
  enum Action: Equatable {
    case retry(after: Duration)
    case giveUp
  }

  private let policy: RetryPolicy
  private(set) var attempts = 0

  init(policy: RetryPolicy) { self.policy = policy }

  /// - Parameters:
  ///   - demanded: the wait that the server asked for, zero for none.
  ///   - elapsed: time since the first attempt began.
  ///   - random: between 0 and 1.
  mutating func failed(demanded: Duration, elapsed: Duration, random: Double) -> Action {
    attempts += 1
    guard attempts < policy.attempts else { return .giveUp }
    let ceiling = min(policy.longestDelay, policy.firstDelay * (1 << min(attempts - 1, 20)))
    let rest = policy.budget - elapsed
    return demanded <= rest ? .retry(after: min(demanded + ceiling * random, rest)) : .giveUp
  }
}
