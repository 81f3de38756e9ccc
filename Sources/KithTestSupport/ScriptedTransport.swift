// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import KithClient
public import KithCore

/// A transport that responds from a script and records its requests.
///
/// ```swift
/// import KithTestSupport
///
/// let transport = ScriptedTransport { _ in .json(#"{"relationships": []}"#) }
/// let client = XRPCClient(service: try ServiceURL(parsing: "https://appview.test"), transport: transport)
/// show(client.service, transport.calls(of: "app.bsky.graph.getRelationships"))
/// ```
///
/// It also watches and breaks another transport: call that one's `send` in the script, or throw a `TransportError`.
public final class ScriptedTransport: HTTPTransport {
  /// Holds requests back while it is closed; open from the start unless the test passes another one.
  public let turnstile: Turnstile
  public let capabilities: TransportCapabilities
  private let answer: @Sendable (TransportRequest) async throws -> TransportResponse
  private let webSockets: (@Sendable (TransportRequest, WebSocketLimits) async throws -> WebSocketAnswer)?
  private let seen = PosixMutex<[TransportRequest]>([])

  /// Responds to each request with a function.
  ///
  /// - Parameter webSockets: responds to requests for WebSockets, with `WebSocketAnswer.scripted` or as
  ///   another transport does. Without it, the transport does not open any.
  public init(
    turnstile: Turnstile = Turnstile(),
    capabilities: TransportCapabilities = [.connectedAddress, .headLimit],
    webSockets: (@Sendable (TransportRequest, WebSocketLimits) async throws -> WebSocketAnswer)? = nil,
    _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) {
    self.turnstile = turnstile
    self.capabilities = webSockets == nil ? capabilities : capabilities.union(.webSocket)
    self.webSockets = webSockets
    self.answer = answer
  }

  /// Responds with the results in order, and as a closed transport after them.
  public convenience init(_ script: [Result<TransportResponse, any Error>]) {
    let rest = PosixMutex(script[...])
    self.init { request in
      guard let next = rest.withLock({ $0.popFirst() }) else {
        throw TransportError(.closed, host: request.head.authority ?? "", detail: "the script is over")
      }
      return try next.get()
    }
  }

  /// Responds with the responses in order, and as a closed transport after them.
  public convenience init(responses: [TransportResponse]) {
    self.init(responses.map { .success($0) })
  }

  /// The requests, in order of arrival.
  public var requests: [TransportRequest] { seen.withLock { $0 } }

  /// The paths of the requests, each with its query.
  public var paths: [String] { requests.map { $0.head.path ?? "" } }

  /// Returns how often a method was called, by its NSID.
  public func calls(of method: String) -> Int {
    paths.count { $0.prefix { $0 != "?" }.split(separator: "/").last == method[...] }
  }

  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    seen.withLock { $0.append(request) }
    return try await turnstile.pass { try await answer(request) }
  }

  public func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    guard let webSockets else {
      throw TransportError(
        .unsupported, host: request.head.authority ?? "", detail: "no WebSocket is scripted")
    }
    seen.withLock { $0.append(request) }
    return try await turnstile.pass { try await webSockets(request, limits) }
  }
}
