// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithClient
package import KithCore
package import KithLocalMessages

/// Answers calls to a local server in the process, without its sockets; calls to other hosts are passed on.
package struct InProcessServer: HTTPTransport {
  package let capabilities: TransportCapabilities = [.connectedAddress, .headLimit, .webSocket]
  private let url: String
  private let answers: @Sendable (LocalRequest) async throws -> LocalResponse
  private let others: (any HTTPTransport)?

  /// - Parameters:
  ///   - url: the server whose calls are answered.
  ///   - others: carries out calls to other hosts; nil if they cannot be reached.
  package init(
    at url: String, _ answers: @escaping @Sendable (LocalRequest) async throws -> LocalResponse,
    else others: (any HTTPTransport)? = nil
  ) {
    (self.url, self.answers, self.others) = (url, answers, others)
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let host = request.head.authority ?? ""
    guard isAddressee(of: request) else {
      guard let others else { throw TransportError(.cannotConnect, host: host) }
      return try await others.send(request)
    }
    let answer = try await answers(LocalRequest(request))
    guard answer.delivery == .whole else { throw TransportError(.connectionLost, host: host) }
    return TransportResponse(answer)
  }

  package func open(_ request: TransportRequest) async throws -> TransportStream {
    if let others, !isAddressee(of: request) { return try await others.open(request) }
    let answer = try await send(request)
    return TransportStream(head: answer.head, body: TransportBody(answer.body, metrics: answer.metrics))
  }

  package func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    guard isAddressee(of: request) else {
      guard let others else { throw TransportError(.cannotConnect, host: request.head.authority ?? "") }
      return try await others.openWebSocket(request, limits: limits)
    }
    let answer = try await answers(LocalRequest(request))
    guard let webSocket = WebSocketAnswer(answer, limits: limits) else {
      throw TransportError(.connectionLost, host: request.head.authority ?? "")
    }
    return webSocket
  }

  private func isAddressee(of request: TransportRequest) -> Bool {
    url == "\(request.head.scheme ?? "")://\(request.head.authority ?? "")"
  }
}

extension LocalRequest {
  /// The request as a server receives it.
  package init(_ request: TransportRequest) {
    let parts = (request.head.path ?? "").split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method: request.head.method.rawValue, path: parts.first.map(String.init) ?? "",
      query: parts.count > 1 ? String(parts[1]) : "",
      fields: [HeaderField(name: "Host", value: request.head.authority ?? "")]
        + request.head.headerFields.map { HeaderField(name: $0.name.rawName, value: $0.value) },
      body: request.body ?? [])
  }
}

extension TransportResponse {
  /// The response as a client receives it.
  package init(_ answer: LocalResponse) {
    var head = HTTPResponse(status: .init(code: answer.status))
    if let type = answer.contentType { head.headerFields[.contentType] = type }
    for field in answer.fields {
      if let name = HTTPField.Name(field.name) { head.headerFields[name] = field.value }
    }
    self.init(head: head, body: answer.body)
  }
}

extension WebSocketAnswer {
  /// The answer as a client receives it; nil if it breaks off.
  package init?(_ answer: LocalResponse, limits: WebSocketLimits) {
    switch answer.delivery {
    case .whole: self = .refused(TransportResponse(answer))
    case .webSocket(let handler?, let subprotocol):
      self = .scripted(subprotocol: subprotocol, limits: limits, handler.run)
    case .webSocket(nil, let subprotocol):
      self = .opened(FramedWebSocket(PipeEnd(), .client, limits: limits), subprotocol: subprotocol)
    default: return nil
    }
  }
}
