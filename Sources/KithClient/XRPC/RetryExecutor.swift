// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Makes one call through the limiter of its host, and retries it after temporary failures as a ``RetryPolicy``
/// allows.
///
/// Time at the limiter does not count towards the policy's budget; ``patience`` limits it. A 429 that names a
/// time is not a failed attempt: the call goes back to the limiter, which knows when to try again.
struct RetryExecutor: Sendable {
  /// The method to call; nil for a plain fetch.
  var method: NSID?
  let policy: RetryPolicy
  /// The maximum total time for which the rate limit may hold the call.
  let patience: Duration
  let limiter: HostLimiter
  let time: TimeSource
  let random: @Sendable () -> Double

  /// Performs the exchange until it succeeds, fails permanently, or the policy's budget ends.
  ///
  /// - Parameters:
  ///   - isRepeatable: Whether the call is idempotent.
  ///   - exchange: Sends the request, given its maximum time, at least a second; nil to use its own limits.
  ///   - failure: Returns what is wrong with the outcome; nil for a good response.
  ///   - wait: Returns the wait that the server asked for if the failure may be temporary (zero for none), or
  ///     nil if a retry cannot help.
  ///   - most: Returns how many attempts such a failure is worth, if fewer than the policy allows.
  ///   - onRetry: Called before each retry, with the time since the failure.
  /// - Throws: The last failure that was not caused by the end of the budget; ``TrafficRefusal`` if nothing
  ///   was sent; `CancellationError` when cancelled during an exchange or a wait.
  func run<Answer: HTTPAnswer, Failure: Error>(
    isRepeatable: Bool,
    _ exchange: (_ atMost: Duration?) async throws -> Answer,
    failure: (Result<Answer, TransportError>) -> Failure?,
    wait: (Failure) -> Duration?,
    most: (Failure) -> Int = { _ in .max },
    onRetry: (Failure, Duration) -> Void
  ) async throws -> Answer {
    var run = Run<Failure>(started: time.now, schedule: RetrySchedule(policy: policy))
    while true {
      let permit = try await enter(&run)
      var remaining: Duration?
      if let last = run.last {
        onRetry(last.failure, time.now - last.at)
        // Less may be left after a 429, because that wait is limited by patience, not by the budget.
        remaining = max(RetryPolicy.shortestAttempt, policy.budget - elapsed(run))
      }
      let result: Result<Answer, TransportError>
      do {
        result = .success(try await exchange(remaining))
      } catch let error as TransportError {
        result = .failure(error)
      } catch {
        limiter.leave(permit, .abandoned)
        throw error
      }
      let reputation = limiter.leave(permit, HostLimiterState.Outcome(result, at: time.instant))
      guard let failed = failure(result) else { return try result.get() }
      guard isRepeatable, policy.attempts > 1 else { throw failed }
      guard let demanded = wait(failed) else {
        if result.barsAll, let fault = HostFault(result) { limiter.gaveUp(fault, mark: run.mark) }
        throw failed
      }
      try await prepareRetry(
        of: result, failed, demanded: demanded, attempts: min(policy.attempts(at: reputation), most(failed)),
        &run)
    }
  }

  /// What happened so far to a call.
  private struct Run<Failure: Error> {
    let started: Duration
    var schedule: RetrySchedule
    /// The time at the limiter.
    var held = Duration.zero
    /// The state of the host when the call first passed the limiter.
    var mark: UInt64 = 0
    var last: Attempt?

    /// A failed attempt.
    struct Attempt {
      let failure: Failure
      let fault: HostFault?
      let isRateLimited: Bool
      let at: Duration
    }
  }

  /// The part of the policy's budget that a call has used.
  private func elapsed<Failure>(_ run: Run<Failure>) -> Duration { time.now - run.started - run.held }

  /// Waits at the limiter; throws the last failure if it refuses a retry.
  private func enter<Failure>(_ run: inout Run<Failure>) async throws -> HostLimiter.Permit {
    do {
      let entry = try await limiter.enter(method, patience: patience - run.held)
      run.held += entry.waited
      if run.last == nil { run.mark = entry.mark }
      return entry.permit
    } catch let refusal as TrafficRefusal {
      guard let last = run.last else { throw refusal }
      if last.isRateLimited { limiter.gaveUp(method, after: patience) }
      throw last.failure
    }
  }

  /// Waits until the next attempt; throws if there is none.
  private func prepareRetry<Answer: HTTPAnswer, Failure: Error>(
    of result: Result<Answer, TransportError>, _ failure: Failure, demanded: Duration, attempts: Int,
    _ run: inout Run<Failure>
  ) async throws {
    let elapsed = elapsed(run)
    if let last = run.last, result.isTimeout, elapsed >= policy.budget {
      // The budget cut this attempt short; the failure of the previous one says what is wrong with the host.
      if let fault = last.fault { limiter.gaveUp(fault, mark: run.mark) }
      throw last.failure
    }
    let isRateLimited = result.isRateLimited
    run.last = Run.Attempt(
      failure: failure, fault: HostFault(result), isRateLimited: isRateLimited, at: time.now)
    if isRateLimited, demanded > .zero { return }
    let action = run.schedule.failed(
      demanded: demanded, elapsed: elapsed, random: random(), attempts: attempts)
    guard case .retry(let delay) = action else {
      if let fault = run.last?.fault { limiter.gaveUp(fault, mark: run.mark) }
      if isRateLimited { limiter.gaveUp(method, after: patience) }
      throw failure
    }
    if !isRateLimited { try await limiter.backOff(for: delay) }
  }
}
