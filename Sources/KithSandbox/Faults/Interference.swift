// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Injects the configured faults and rate limits between the servers of a sandbox and their callers.
final class Interference: Sendable {
  private struct State {
    var plan: FaultPlan
    var window: AnswerWindow?
  }

  private let state: PosixMutex<State>
  private let limit: SandboxRateLimit?
  private let pause: Duration
  private let wall: @Sendable () -> Instant

  /// - Parameter wall: the time, for the windows of the limit.
  init(faults: SandboxFaults, limit: SandboxRateLimit?, wall: @escaping @Sendable () -> Instant) {
    state = PosixMutex(State(plan: FaultPlan(faults), window: limit.map(AnswerWindow.init)))
    self.limit = limit
    pause = faults.pause
    self.wall = wall
  }

  /// Returns the answer to a request, with any fault applied. Health checks are exempt, so that a script can
  /// check whether the sandbox is up.
  ///
  /// - Parameter answer: makes the correct answer, if it is needed.
  func answer(_ request: HTTPRequest, by answer: (HTTPRequest) -> SandboxAnswer) -> InterferedAnswer {
    guard !request.isHealthCheck else { return InterferedAnswer(answer(request)) }
    let now = wall()
    let (standing, fault) = state.withLock { state in
      let standing = state.window?.arrived(at: now)
      return (standing, standing?.isRefused == true ? nil : state.plan.arrived(request))
    }
    if let limit, let standing, standing.isRefused {
      return InterferedAnswer(SandboxAnswer(limit.refusal(standing, at: now)), isRefused: true)
    }
    guard let fault else {
      return InterferedAnswer(answer(request).telling(limit, standing))
    }
    let right = fault.isBeforeServer ? SandboxAnswer(body: []) : answer(request)
    return InterferedAnswer(
      fault.applied(to: right.telling(limit, standing), pause: pause), fault: fault.kind)
  }
}

/// The answer that is sent, and what was done to it.
struct InterferedAnswer {
  let answer: SandboxAnswer
  let fault: SandboxFaults.Kind?
  /// Whether the rate limit is used up.
  let isRefused: Bool

  init(_ answer: SandboxAnswer, fault: SandboxFaults.Kind? = nil, isRefused: Bool = false) {
    self.answer = answer
    self.fault = fault
    self.isRefused = isRefused
  }
}

extension SandboxAnswer {
  /// Adds the reference server's rate limit fields, unless the answer has some already.
  fileprivate func telling(
    _ limit: SandboxRateLimit?, _ standing: AnswerWindow.Standing?
  ) -> SandboxAnswer {
    guard let limit, let standing else { return self }
    let told = limit.fields(standing)
    guard !fields.contains(where: { $0.name == told.first?.name }) else { return self }
    var answer = self
    answer.fields += told
    return answer
  }
}
