// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// Injects the configured faults and rate limits between the servers of a sandbox and their callers.
final class FaultInjector: Sendable {
  private struct State {
    var plan: FaultPlan
    var window: RateLimitWindow?
  }

  private let state: PosixMutex<State>
  private let limit: SandboxRateLimit?
  private let pause: Duration
  private let wall: @Sendable () -> Instant

  /// - Parameter wall: the time, for the windows of the limit.
  init(faults: SandboxFaults, limit: SandboxRateLimit?, wall: @escaping @Sendable () -> Instant) {
    state = PosixMutex(State(plan: FaultPlan(faults), window: limit.map(RateLimitWindow.init)))
    self.limit = limit
    pause = faults.pause
    self.wall = wall
  }

  /// Returns the answer to a request, with any fault applied. Health checks are exempt, so that a script can
  /// check whether the sandbox is up.
  ///
  /// - Parameter answer: makes the correct answer, if it is needed.
  func answer(_ request: LocalRequest, by answer: (LocalRequest) -> LocalResponse) -> FaultedAnswer {
    guard !request.isHealthCheck else { return FaultedAnswer(answer(request)) }
    let now = wall()
    let (usage, fault) = state.withLock { state in
      let usage = state.window?.arrived(at: now)
      return (usage, usage?.isRefused == true ? nil : state.plan.arrived(request))
    }
    if let limit, let usage, usage.isRefused {
      return FaultedAnswer(LocalResponse(limit.refusal(usage, at: now)), isRefused: true)
    }
    guard let fault else {
      return FaultedAnswer(answer(request).telling(limit, usage))
    }
    let right = fault.isBeforeServer ? LocalResponse(body: []) : answer(request)
    return FaultedAnswer(
      fault.applied(to: right.telling(limit, usage), pause: pause), fault: fault.kind)
  }
}

/// The answer that is sent, and what was done to it.
struct FaultedAnswer {
  let answer: LocalResponse
  let fault: SandboxFaults.Kind?
  /// Whether the rate limit is used up.
  let isRefused: Bool

  init(_ answer: LocalResponse, fault: SandboxFaults.Kind? = nil, isRefused: Bool = false) {
    self.answer = answer
    self.fault = fault
    self.isRefused = isRefused
  }
}

extension LocalResponse {
  /// Adds the reference server's rate limit fields, unless the answer has some already.
  fileprivate func telling(
    _ limit: SandboxRateLimit?, _ usage: RateLimitWindow.Usage?
  ) -> LocalResponse {
    guard let limit, let usage else { return self }
    let told = limit.fields(usage)
    guard !fields.contains(where: { $0.name == told.first?.name }) else { return self }
    var answer = self
    answer.fields += told
    return answer
  }
}
