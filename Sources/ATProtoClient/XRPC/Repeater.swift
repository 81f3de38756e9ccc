// SPDX-License-Identifier: Apache-2.0

/// Repeats an attempt that failed for a reason that passes, as a ``RetryPolicy`` allows.
struct Repeater: Sendable {
  let policy: RetryPolicy
  let time: TimeSource
  let random: @Sendable () -> Double

  /// Runs the attempt until it succeeds, fails for good, or the policy's budget ends.
  ///
  /// - Parameter wait: what the server asked for when this failure may pass, zero when it asked for
  ///   nothing, nil when asking again cannot help.
  /// - Parameter onRetry: told before each wait.
  /// - Throws: the last failure; `CancellationError` when cancelled, in an attempt or between two.
  func run<Answer, Failure: Error>(
    _ attempt: () async throws -> Answer,
    wait: (Failure) -> Duration?,
    onRetry: (Failure, Duration) -> Void
  ) async throws -> Answer {
    let started = time.now
    var schedule = RetrySchedule(policy: policy)
    while true {
      let failure: Failure
      do { return try await attempt() } catch let error as Failure { failure = error }
      guard let demanded = wait(failure),
        case .retry(let delay) = schedule.failed(
          demanded: demanded, elapsed: time.now - started, random: random())
      else { throw failure }
      onRetry(failure, delay)
      try await time.sleep(for: delay)
    }
  }
}
