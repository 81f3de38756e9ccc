// SPDX-License-Identifier: Apache-2.0

/// How often, how patiently and for how long a call that is safe to repeat is repeated.
public struct RetryPolicy: Sendable, Hashable {
  /// Attempts in all, the first included, at a host that has answered well before; 1 means that nothing is
  /// repeated, not even after a 429.
  public var attempts: Int
  /// Attempts in all at a host that never gave a sign of life; two more if it did, but no good answer.
  public var attemptsAtStrangers: Int
  /// The ceiling of the first wait; each further one may be twice as long (full jitter).
  public var firstDelay: Duration
  /// No wait of our own choosing is longer.
  public var longestDelay: Duration
  /// From the first attempt on. What is begun late is cut short by its end; so a wait is not begun that would
  /// leave less than a second of it to the attempt that follows.
  public var budget: Duration

  /// Sixteen attempts within a minute, which outlast a server's restart; four, in a second, at a stranger.
  public init(
    attempts: Int = 16, attemptsAtStrangers: Int = 4, firstDelay: Duration = .milliseconds(200),
    longestDelay: Duration = .seconds(8), budget: Duration = .seconds(60)
  ) {
    self.attempts = attempts
    self.attemptsAtStrangers = attemptsAtStrangers
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.budget = budget
  }

  /// Every call is made once.
  public static let never = RetryPolicy(attempts: 1)

  /// The same for a host that somebody else chose, who may want to keep us waiting: two attempts.
  var forStrangers: RetryPolicy {
    var policy = self
    policy.attempts = min(attempts, Self.attemptsWithStrangers)
    policy.attemptsAtStrangers = min(attemptsAtStrangers, Self.attemptsWithStrangers)
    policy.longestDelay = min(longestDelay, .seconds(1))
    policy.budget = min(budget, .seconds(10))
    return policy
  }

  /// The most attempts at such a host.
  static let attemptsWithStrangers = 2

  /// How long a rate limit of such a host is waited out.
  static let patienceWithStrangers = Duration.seconds(5)

  /// An attempt for which less time is left would tell of nothing but its haste.
  static let shortestAttempt = Duration.seconds(1)

  /// Statuses of a server that fails but may soon be well again.
  static let passingStatuses = [500, 502, 503, 504]

  func attempts(at standing: HostTraffic.Standing) -> Int {
    switch standing {
    case .silent: min(attempts, attemptsAtStrangers)
    case .reached: min(attempts, attemptsAtStrangers + 2)
    case .proven: attempts
    }
  }
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
  ///   - most: attempts that this host is worth; nil for those of the policy.
  mutating func failed(
    demanded: Duration, elapsed: Duration, random: Double, attempts most: Int? = nil
  ) -> Action {
    attempts += 1
    guard attempts < most ?? policy.attempts else { return .giveUp }
    let ceiling = min(policy.longestDelay, policy.firstDelay * (1 << min(attempts - 1, 20)))
    let rest = policy.budget - elapsed - RetryPolicy.shortestAttempt
    return demanded <= rest ? .retry(after: min(demanded + ceiling * random, rest)) : .giveUp
  }
}
