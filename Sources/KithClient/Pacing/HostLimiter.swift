// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Drives the ``HostLimiterState`` of one host: suspends calls that have to wait, and resumes those that may go.
///
/// A call that need not wait takes one lock on its way in and one on its way out, without allocations. A
/// timer runs only while a call waits for a time.
final class HostLimiter: Sendable {
  typealias Ticket = HostLimiterState.Ticket
  typealias Permit = HostLimiterState.Permit

  /// A call that was admitted.
  struct Entry: Sendable {
    let permit: Permit
    /// How long it was held.
    let waited: Duration
    /// The number of good responses of the host so far.
    let mark: UInt64
  }

  private typealias Waiter = CheckedContinuation<Permit, any Error>

  private struct Timer {
    let number: UInt64
    let due: Duration
    let task: Task<Void, Never>
  }

  /// The wait of a call between two attempts.
  private struct Rest {
    let until: Duration
    let sleep: Task<Void, any Error>
  }

  private struct Shared {
    var traffic: HostLimiterState
    var waiting: [Ticket: Waiter] = [:]
    /// Calls that wait between two attempts, by number.
    var resting: [UInt64: Rest] = [:]
    var timer: Timer?
    var numbers: UInt64 = 0

    mutating func number() -> UInt64 {
      numbers &+= 1
      return numbers
    }
  }

  private struct Wakening {
    let waiter: Waiter
    let verdict: Result<Permit, any Error>
  }

  private let time: TimeSource
  private let shared: PosixMutex<Shared>

  init(_ configuration: Traffic.Configuration, time: TimeSource) {
    self.time = time
    shared = PosixMutex(Shared(traffic: HostLimiterState(configuration)))
  }

  /// Reads the state of the host.
  func read<Value>(_ body: (HostLimiterState, Duration) -> Value) -> Value {
    let now = time.now
    return shared.withLock { body($0.traffic, now) }
  }

  /// The state of the host for display.
  var state: HostState {
    let now = time.now
    return shared.withLock { shared in
      HostState(shared.traffic, nextAttempt: shared.resting.values.map(\.until).min(), at: now)
    }
  }

  /// Waits until a call may be made. Each entry must be given back with ``leave(_:_:)``.
  ///
  /// - Parameter method: The method to call; nil for a plain fetch.
  /// - Throws: ``TrafficRefusal``; `CancellationError` when the task is cancelled while it waits.
  func enter(_ method: NSID? = nil, patience: Duration) async throws -> Entry {
    let came = time.now
    let (admission, mark, ticket) = shared.withLock { shared in
      let admission = shared.traffic.enter(method, patience: patience, at: came)
      let mark = shared.traffic.circuit.goodAnswers
      return (admission, mark, admission == .wait ? shared.number() : 0)
    }
    switch admission {
    case .admit(let permit): return Entry(permit: permit, waited: .zero, mark: mark)
    case .refused(let refusal): throw refusal
    case .wait:
      let permit = try await wait(ticket, method, patience)
      return Entry(permit: permit, waited: time.now - came, mark: mark)
    }
  }

  /// Gives an entry back with its outcome. Returns what is now known about the host.
  @discardableResult
  func leave(_ permit: Permit, _ outcome: HostLimiterState.Outcome) -> HostReputation {
    let now = time.now
    var reputation = HostReputation.unknown
    change(at: now) { traffic in
      let actions = traffic.ended(permit, outcome, at: now)
      reputation = traffic.reputation
      return actions
    }
    return reputation
  }

  /// Records that a call failed with all its retries.
  func gaveUp(_ cause: HostFault, mark: UInt64) {
    let now = time.now
    change(at: now) { $0.gaveUp(cause, mark: mark, at: now) }
  }

  /// Records that a call was refused with 429 for as long as it could wait.
  func gaveUp(_ method: NSID?, after patience: Duration) {
    let now = time.now
    change(at: now) { $0.gaveUp(method, after: patience, at: now) }
  }

  /// Waits between two attempts, or until the circuit opens.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func backOff(for delay: Duration) async throws {
    let now = time.now
    let resting = shared.withLock { [time] shared -> (number: UInt64, sleep: Task<Void, any Error>)? in
      guard !shared.traffic.isResting(at: now) else { return nil }
      let number = shared.number()
      let sleep = Task { try await time.sleep(for: delay) }
      shared.resting[number] = Rest(until: now + delay, sleep: sleep)
      return (number, sleep)
    }
    guard let resting else { return try Task.checkCancellation() }
    let outcome = await withTaskCancellationHandler {
      await resting.sleep.result
    } onCancel: {
      resting.sleep.cancel()
    }
    shared.withLock { _ = $0.resting.removeValue(forKey: resting.number) }
    // Woken because the circuit opened, or because the task was cancelled.
    if case .failure = outcome { try Task.checkCancellation() }
  }

  private func wait(_ ticket: Ticket, _ method: NSID?, _ patience: Duration) async throws -> Permit {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        let now = time.now
        let verdict = shared.withLock { shared -> Result<Permit, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          switch shared.traffic.enter(method, patience: patience, at: now) {
          case .admit(let permit): return .success(permit)
          case .refused(let refusal): return .failure(refusal)
          case .wait:
            shared.traffic.wait(ticket, for: method, patience: patience, at: now)
            shared.waiting[ticket] = waiter
            arrangeTimer(&shared, at: now)
            return nil
          }
        }
        if let verdict { waiter.resume(with: verdict) }
      }
    } onCancel: {
      let waiter = shared.withLock { shared -> Waiter? in
        guard shared.traffic.leave(ticket) else { return nil }
        arrangeTimer(&shared, at: time.now)
        return shared.waiting.removeValue(forKey: ticket)
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  private func change(at now: Duration, _ body: (inout HostLimiterState) -> [HostLimiterState.Action]) {
    let (wakenings, sleeps) = shared.withLock { shared -> ([Wakening], [Task<Void, any Error>]) in
      let wakenings = body(&shared.traffic).compactMap { Self.wakening(for: $0, &shared) }
      arrangeTimer(&shared, at: now)
      guard !shared.resting.isEmpty, shared.traffic.isResting(at: now) else { return (wakenings, []) }
      defer { shared.resting = [:] }
      return (wakenings, shared.resting.values.map(\.sleep))
    }
    for sleep in sleeps { sleep.cancel() }
    for wakening in wakenings { wakening.waiter.resume(with: wakening.verdict) }
  }

  private static func wakening(for action: HostLimiterState.Action, _ shared: inout Shared) -> Wakening? {
    switch action {
    case .admit(let ticket, let permit):
      shared.waiting.removeValue(forKey: ticket).map { Wakening(waiter: $0, verdict: .success(permit)) }
    case .refuse(let ticket, let refusal):
      shared.waiting.removeValue(forKey: ticket).map { Wakening(waiter: $0, verdict: .failure(refusal)) }
    }
  }

  private func arrangeTimer(_ shared: inout Shared, at now: Duration) {
    guard let due = shared.traffic.wakeUp(at: now) else {
      shared.timer?.task.cancel()
      shared.timer = nil
      return
    }
    // A timer that fires too early finds nothing to do and schedules the next.
    if let timer = shared.timer, timer.due <= due { return }
    shared.timer?.task.cancel()
    let number = shared.number()
    let task = Task { [time] in
      do { try await time.sleep(for: due - now) } catch { return }
      fire(number)
    }
    shared.timer = Timer(number: number, due: due, task: task)
  }

  private func fire(_ number: UInt64) {
    let isCurrent = shared.withLock { shared in
      guard shared.timer?.number == number else { return false }
      shared.timer = nil
      return true
    }
    guard isCurrent else { return }
    let now = time.now
    change(at: now) { $0.pump(at: now) }
  }
}
