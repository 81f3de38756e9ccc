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
    let started = time.now
    var schedule = RetrySchedule(policy: policy)
    var held = Duration.zero
    var mark: UInt64?
    var last: (failure: Failure, fault: HostFault?, isRefusal: Bool, at: Duration)?
    while true {
      let entry: HostLimiter.Entry
      do {
        entry = try await limiter.enter(method, patience: patience - held)
      } catch let refusal as TrafficRefusal {
        guard let last else { throw refusal }
        if last.isRefusal { limiter.gaveUp(method, after: patience) }
        throw last.failure
      }
      held += entry.waited
      let began = mark ?? entry.mark
      mark = began
      var rest: Duration?
      if let last {
        onRetry(last.failure, time.now - last.at)
        // Less may be left after a 429, because that wait is limited by patience, not by the budget.
        rest = max(RetryPolicy.shortestAttempt, policy.budget - (time.now - started - held))
      }
      let result: Result<Answer, TransportError>
      do {
        result = .success(try await exchange(rest))
      } catch let error as TransportError {
        result = .failure(error)
      } catch {
        limiter.leave(entry.permit, .abandoned)
        throw error
      }
      let reputation = limiter.leave(entry.permit, HostLimiterState.Outcome(result, at: time.instant))
      guard let failed = failure(result) else { return try result.get() }
      guard isRepeatable, policy.attempts > 1 else { throw failed }
      guard let demanded = wait(failed) else {
        if result.barsAll, let fault = HostFault(result) { limiter.gaveUp(fault, mark: began) }
        throw failed
      }
      let elapsed = time.now - started - held
      if let last, result.isTimeout, elapsed >= policy.budget {
        // The budget cut this attempt short; the failure of the previous one says what is wrong with the
        // host.
        if let fault = last.fault { limiter.gaveUp(fault, mark: began) }
        throw last.failure
      }
      last = (failed, HostFault(result), result.isRateLimited, time.now)
      if result.isRateLimited, demanded > .zero { continue }
      let action = schedule.failed(
        demanded: demanded, elapsed: elapsed, random: random(),
        attempts: min(policy.attempts(at: reputation), most(failed)))
      guard case .retry(let delay) = action else {
        if let fault = HostFault(result) { limiter.gaveUp(fault, mark: began) }
        if result.isRateLimited { limiter.gaveUp(method, after: patience) }
        throw failed
      }
      if !result.isRateLimited { try await limiter.backOff(for: delay) }
    }
  }
}
