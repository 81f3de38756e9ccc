// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What calls have cost so far, over all clients that share it.
public final class CallMeter: Sendable {
  /// Where fetched DID documents are counted: they come by plain HTTP, without a method.
  public static let documents = "did document"
  /// Where requests for `/.well-known/atproto-did` are counted.
  public static let handleProofs = "handle proof"

  private let costs = PosixMutex<[String: CallCost]>([:])

  /// Starts at nothing.
  public init() {}

  /// The cost of all calls up to now.
  public var cost: CallCost { costs.withLock { $0.values.reduce(CallCost(), +) } }

  /// The cost of each method's calls up to now, by its NSID; DID documents by ``documents``.
  public var costByMethod: [String: CallCost] { costs.withLock { $0 } }

  func add(to method: String, _ change: (inout CallCost) -> Void) {
    costs.withLock { change(&$0[method, default: CallCost()]) }
  }

  /// Counts one attempt, its time also when it fails.
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

  /// Counts what an exchange has cost.
  func add(_ metrics: TransportResponse.Metrics, to method: String) {
    add(to: method) {
      $0.time += metrics.elapsed
      $0.bytesSent += metrics.bytesSent
      $0.bytesReceived += metrics.bytesReceived
      $0.connectionsOpened += metrics.connectionsOpened
    }
  }
}
