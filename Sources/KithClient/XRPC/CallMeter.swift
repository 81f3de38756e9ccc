// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Counts the cost of calls, across all clients that share it.
public final class CallMeter: Sendable {
  /// The key for DID documents, which are fetched by plain HTTP without a method.
  package static let documents = "did document"
  /// The key for requests of `/.well-known/atproto-did`.
  package static let handleProofs = "handle proof"

  private let costs = PosixMutex<[String: CallCost]>([:])

  /// The meter of the run that the current task belongs to, which counts besides that of the client: clients and services
  /// are shared, and each run says what it has cost. A call that several runs share is counted for the one that asked first.
  @TaskLocal package static var ofRun: CallMeter?

  /// Does work for a run, which counts the calls of the tasks that the work starts: shared state begins calls in the task
  /// of any caller, or in a timer.
  package static func counting<Value>(for run: CallMeter?, _ work: () -> Value) -> Value {
    run === ofRun ? work() : $ofRun.withValue(run, operation: work)
  }

  /// Creates a meter that starts at zero.
  public init() {}

  /// The cost of all calls so far.
  public var cost: CallCost { costs.withLock { $0.values.reduce(CallCost(), +) } }

  /// The cost of the calls of each method so far, by NSID; those of DID documents have a name of
  /// their own.
  public var costByMethod: [String: CallCost] { costs.withLock { $0 } }

  func add(to method: String, _ change: (inout CallCost) -> Void) {
    costs.withLock { change(&$0[method, default: CallCost()]) }
    guard let run = Self.ofRun, run !== self else { return }
    run.costs.withLock { change(&$0[method, default: CallCost()]) }
  }

  /// Counts one attempt; its time also if it fails.
  func counting(
    _ method: String, _ time: TimeSource, _ attempt: () async throws -> TransportResponse
  ) async throws -> TransportResponse {
    add(to: method) { $0.calls += 1 }
    let started = time.now
    let response: TransportResponse
    do {
      response = try await attempt()
    } catch {
      let elapsed = time.now - started
      add(to: method) { $0.time += elapsed }
      throw error
    }
    add(response.metrics, to: method)
    return response
  }

  /// Counts the cost of an exchange.
  func add(_ metrics: TransportResponse.Metrics, to method: String) {
    add(to: method) {
      $0.time += metrics.elapsed
      $0.bytesSent += metrics.bytesSent
      $0.bytesReceived += metrics.bytesReceived
      $0.connectionsOpened += metrics.connectionsOpened
    }
  }
}
