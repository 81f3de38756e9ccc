// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import ATProtoCore
internal import HTTPTypes

/// A transport that answers from a script and remembers what it was asked.
public final class ScriptedTransport: HTTPTransport {
  /// Holds requests back while it is closed; open from the start unless the test brings another.
  public let turnstile: Turnstile
  private let answer: @Sendable (TransportRequest) async throws -> TransportResponse
  private let seen = PosixMutex<[TransportRequest]>([])

  /// Answers each request by a function.
  public init(
    turnstile: Turnstile = Turnstile(),
    _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) {
    self.turnstile = turnstile
    self.answer = answer
  }

  /// Answers with the results in their order, and with a closed transport once they are used up.
  public convenience init(_ script: [Result<TransportResponse, any Error>]) {
    let rest = PosixMutex(script[...])
    self.init { request in
      guard let next = rest.withLock({ $0.popFirst() }) else {
        throw TransportError(.closed, host: request.head.authority ?? "", detail: "the script is over")
      }
      return try next.get()
    }
  }

  /// Answers with the responses in their order.
  public convenience init(responses: [TransportResponse]) {
    self.init(responses.map { .success($0) })
  }

  /// What was asked, in the order in which it came.
  public var requests: [TransportRequest] { seen.withLock { $0 } }

  /// The paths that were asked, each with its query.
  public var paths: [String] { requests.map { $0.head.path ?? "" } }

  /// How often a method was called.
  public func calls(of method: String) -> Int {
    requests.count { RequestQuery($0).method == method }
  }

  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    seen.withLock { $0.append(request) }
    return try await turnstile.pass { try await answer(request) }
  }
}
