// SPDX-License-Identifier: Apache-2.0

/// How often and how long a call that is safe to retry is retried.
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of attempts, including the first, at a host that has given a good response before; 1
  /// means no retries, even after a 429.
  public var attempts: Int
  /// The maximum number of attempts at a host that never responded; two more if it did, but without a good
  /// response.
  public var attemptsAtUntrustedHosts: Int
  /// The upper bound of the first backoff; it doubles with each further one (full jitter).
  public var firstDelay: Duration
  /// The maximum backoff, unless the server asks for a longer wait.
  public var longestDelay: Duration
  /// The total time from the first attempt on. Retries are cut short at its end, so no wait is begun that
  /// would leave less than a second for the attempt after it.
  public var budget: Duration

  /// The defaults: sixteen attempts within a minute, which outlast a server's restart; four, in about a
  /// second, at a host that never responded.
  public init(
    attempts: Int = 16, attemptsAtUntrustedHosts: Int = 4, firstDelay: Duration = .milliseconds(200),
    longestDelay: Duration = .seconds(8), budget: Duration = .seconds(60)
  ) {
    self.attempts = attempts
    self.attemptsAtUntrustedHosts = attemptsAtUntrustedHosts
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.budget = budget
  }

  /// Makes every call once.
  public static let never = RetryPolicy(attempts: 1)

  /// The same for a host chosen by someone else, who may want to stall this client: two attempts.
  var forUntrustedHosts: RetryPolicy {
    var policy = self
    policy.attempts = min(attempts, Self.attemptsWithUntrustedHosts)
    policy.attemptsAtUntrustedHosts = min(attemptsAtUntrustedHosts, Self.attemptsWithUntrustedHosts)
    policy.longestDelay = min(longestDelay, .seconds(1))
    policy.budget = min(budget, .seconds(10))
    return policy
  }

  /// The maximum number of attempts at such a host.
  static let attemptsWithUntrustedHosts = 2

  /// The maximum number of attempts if a response is not valid JSON, but whole: unlike a damaged one, or the
  /// page of a captive portal, it is probably what the server always writes.
  static let attemptsAtUnreadable = 3

  /// How long to wait for the rate limit of such a host.
  static let patienceWithStrangers = Duration.seconds(5)

  /// The minimum time for an attempt; with less, a failure says nothing about the host.
  static let shortestAttempt = Duration.seconds(1)

  /// Whether a status is that of a failure that is probably temporary: every 5xx, including those of proxies
  /// (520 to 530), except 501 and 505, which say what the server will never do; and of 4xx those that say nothing
  /// about the request (``areAboutTheConnection``).
  static func mayPass(_ status: Int) -> Bool {
    (500..<600).contains(status) && status != 501 && status != 505 || areAboutTheConnection.contains(status)
  }

  /// The request came too slowly, over a connection of another host, or too early: 408, 421 and 425.
  static let areAboutTheConnection: Set<Int> = [408, 421, 425]

  func attempts(at reputation: HostReputation) -> Int {
    switch reputation {
    case .unknown: min(attempts, attemptsAtUntrustedHosts)
    case .reachable: min(attempts, attemptsAtUntrustedHosts + 2)
    case .trusted: attempts
    }
  }
}

/// The state of one call between its attempts: fed each failure, it decides what to do next.
///
/// Waits are drawn uniformly between zero and an upper bound that doubles (full jitter), so that clients
/// which failed together do not come back together. A wait that the server asks for is never shortened; the
/// random wait is added to it, up to the budget.
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
  ///   - demanded: The wait that the server asked for; zero for none.
  ///   - elapsed: The time since the first attempt began.
  ///   - random: Between 0 and 1.
  ///   - most: The maximum number of attempts for this host; nil for that of the policy.
  mutating func failed(
    demanded: Duration, elapsed: Duration, random: Double, attempts most: Int? = nil
  ) -> Action {
    attempts += 1
    guard attempts < most ?? policy.attempts else { return .giveUp }
    let ceiling = min(policy.longestDelay, policy.firstDelay * (1 << min(attempts - 1, 20)))
    let remaining = policy.budget - elapsed - RetryPolicy.shortestAttempt
    return demanded <= remaining ? .retry(after: min(demanded + ceiling * random, remaining)) : .giveUp
  }
}
