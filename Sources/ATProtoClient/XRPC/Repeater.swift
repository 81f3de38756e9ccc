// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Makes one call through the gate of its host, and repeats it when it failed for a reason that passes, as a
/// ``RetryPolicy`` allows.
///
/// The time at the gate is not the policy's: ``patience`` bounds it. A 429 that names a time is no failed attempt:
/// the call goes back to the gate, which knows when to try again.
struct Repeater: Sendable {
  /// What is called; nil for a plain fetch.
  var method: NSID?
  let policy: RetryPolicy
  /// How long the rate limit may hold the call in all.
  let patience: Duration
  let gate: HostGate
  let time: TimeSource
  let random: @Sendable () -> Double

  /// Runs the exchange until it succeeds, fails for good, or the policy's budget ends.
  ///
  /// - Parameters:
  ///   - isRepeatable: whether doing it twice is the same as once.
  ///   - exchange: sends the request; told how long it may take, a second at least; nil for as long as its own limits
  ///     allow.
  ///   - failure: what is wrong with the outcome; nil for an answer that is good.
  ///   - wait: what the server asked for when this failure may pass, zero when it asked for nothing, nil when
  ///     asking again cannot help.
  ///   - onRetry: told before each repetition, with the time since the failure.
  /// - Throws: the last failure that was not the budget's own doing; ``TrafficRefusal`` when nothing was sent at
  ///   all; `CancellationError` when cancelled, in an exchange or while it waits.
  func run<Answer: HTTPAnswer, Failure: Error>(
    isRepeatable: Bool,
    _ exchange: (_ atMost: Duration?) async throws -> Answer,
    failure: (Result<Answer, TransportError>) -> Failure?,
    wait: (Failure) -> Duration?,
    onRetry: (Failure, Duration) -> Void
  ) async throws -> Answer {
    let started = time.now
    var schedule = RetrySchedule(policy: policy)
    var held = Duration.zero
    var mark: UInt64?
    var last: (failure: Failure, fault: HostFault?, isRefusal: Bool, at: Duration)?
    while true {
      let entry: HostGate.Entry
      do {
        entry = try await gate.enter(method, patience: patience - held)
      } catch let refusal as TrafficRefusal {
        guard let last else { throw refusal }
        if last.isRefusal { gate.gaveUp(method, after: patience) }
        throw last.failure
      }
      held += entry.waited
      let began = mark ?? entry.mark
      mark = began
      var rest: Duration?
      if let last {
        onRetry(last.failure, time.now - last.at)
        // After a 429 it may be less: how long that is waited out is a matter of patience, not of the budget.
        rest = max(RetryPolicy.shortestAttempt, policy.budget - (time.now - started - held))
      }
      let result: Result<Answer, TransportError>
      do {
        result = .success(try await exchange(rest))
      } catch let error as TransportError {
        result = .failure(error)
      } catch {
        gate.leave(entry.permit, .abandoned)
        throw error
      }
      let standing = gate.leave(entry.permit, HostTraffic.Outcome(result, at: time.microsecondsSinceEpoch))
      guard let failed = failure(result) else { return try result.get() }
      guard isRepeatable, policy.attempts > 1 else { throw failed }
      guard let demanded = wait(failed) else {
        if result.barsAll, let fault = HostFault(result) { gate.gaveUp(fault, mark: began) }
        throw failed
      }
      let elapsed = time.now - started - held
      if let last, result.isTimeout, elapsed >= policy.budget {
        // The budget cut it short: what is wrong with the host, the attempt before has told.
        if let fault = last.fault { gate.gaveUp(fault, mark: began) }
        throw last.failure
      }
      last = (failed, HostFault(result), result.isRateLimited, time.now)
      if result.isRateLimited, demanded > .zero { continue }
      let action = schedule.failed(
        demanded: demanded, elapsed: elapsed, random: random(), attempts: policy.attempts(at: standing))
      guard case .retry(let delay) = action else {
        if let fault = HostFault(result) { gate.gaveUp(fault, mark: began) }
        if result.isRateLimited { gate.gaveUp(method, after: patience) }
        throw failed
      }
      if !result.isRateLimited { try await gate.rest(for: delay) }
    }
  }
}
