// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import KithClient
public import KithCore
import Synchronization

/// Performs HTTP exchanges with libcurl's multi interface, on one thread for all of them.
///
/// ```swift
/// let transport = CurlTransport(.init(product: "my-app/1.0", contact: "https://my-app.example"))
/// let client = XRPCClient(service: appview.service, transport: transport)
/// show(client.service)
/// ```
///
/// Connections are pooled and reused; over TLS with HTTP/2 all exchanges with a host share one. Certificates
/// are always verified. If a pooled connection turns out to be closed, libcurl sends a GET or HEAD again over
/// another one, up to five times if those are closed too; nothing else is ever retried. The thread starts
/// with the first request and ends with ``close()``, or when the transport is deallocated.
///
/// Streams of ``open(_:)`` have their own thread and connections, over HTTP/1.1: a response that waits for
/// its reader blocks its connection (over HTTP/2 possibly all its streams), and the connection's flow control
/// is what pauses the sender. So has each WebSocket.
public final class CurlTransport: HTTPTransport {
  /// All of them, whatever the configuration.
  public var capabilities: TransportCapabilities {
    [.connectedAddress, .headLimit, .backpressure, .webSocket]
  }

  private let proxies: ProxyRules
  private let network: HostNetwork
  private let calls: CurlLane
  private let streams: CurlLane
  private let links = CurlLinks()
  private let configuration: Configuration

  /// Creates a transport; nothing is opened before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, network: .system)
  }

  init(_ configuration: Configuration, network: HostNetwork) {
    self.network = network
    self.configuration = configuration
    proxies = ProxyRules(configuration.unixSocket == nil ? configuration.proxy : .none)
    calls = CurlLane(configuration)
    var plain = configuration
    plain.httpVersion = .http1
    streams = CurlLane(plain)
  }

  deinit { close() }

  /// Ends all exchanges in progress with `closed`, closes all connections and waits for the threads to end, other than those
  /// of WebSockets, which may take a second.
  ///
  /// Blocks for some milliseconds at most. Later requests fail with `closed`.
  public func close() {
    calls.close()
    streams.close()
    links.close()
  }

  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    var answer = try await exchange(request)
    var hop = request
    var redirect = Redirect(request)
    while let next = try redirect.next(after: hop, answer.head) {
      let before = answer.metrics
      hop = next
      hop.limits.total = request.limits.total - before.elapsed
      answer = try await exchange(hop)
      answer.metrics.add(before)
    }
    return answer
  }

  /// Sends a request and waits for the head of the response; the body is read as it arrives.
  ///
  /// The sender is paused when 256 KiB, plus what libcurl decompressed from one read of the socket, wait for
  /// the reader. A stream uses one of the ``Configuration/connectionsPerHost`` until it is read to its end.
  public func open(_ request: TransportRequest) async throws -> TransportStream {
    let started = ContinuousClock.now
    var hop = request
    var hopped: HTTPRequest?
    var redirect = Redirect(request)
    while true {
      let (head, reader) = try await stream(hop)
      guard let next = try redirect.next(after: hop, head) else {
        return TransportStream(head: head, body: TransportBody(reader), redirect: hopped)
      }
      (hop, hopped) = (next, next.head)
      hop.limits.total = request.limits.total - (ContinuousClock.now - started)
    }
  }

  /// Asks a server to speak WebSocket, over a connection of its own with HTTP/1.1, through a proxy by CONNECT.
  public func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    let exchange = try CurlExchange(request, proxies, network, tunnels: true)
    try await exchange.checkName(network)
    let connection = try CurlConnection(exchange, configuration, among: links)
    return try await withTaskCancellationHandler {
      do {
        try await connection.connect()
        let handshake = WebSocketHandshake(
          request, exchange,
          userAgent: exchange.isNamed ? configuration.userAgent : configuration.userAgentForStrangers)
        return try await handshake.perform(over: connection, limits: limits)
      } catch {
        try Task.checkCancellation()
        throw error
      }
    } onCancel: {
      connection.close()
    }
  }

  /// Performs one exchange without following redirects.
  private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
    let exchange = try CurlExchange(request, proxies, network)
    try await exchange.checkName(network)
    let mailbox = try calls.openMailbox(for: exchange)
    let answer = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if !mailbox.post(.start(exchange, .whole(continuation))) {
          continuation.resume(throwing: TransportError(.closed, host: exchange.host))
        }
      }
    } onCancel: {
      exchange.isCancelled.store(true, ordering: .releasing)
      _ = mailbox.post(.cancel(exchange))
    }
    let head = try exchange.parseHead(answer.head)
    return TransportResponse(head: head, body: answer.body, metrics: answer.metrics)
  }

  /// Performs one exchange up to the head of the response, without following redirects.
  private func stream(_ request: TransportRequest) async throws -> (HTTPResponse, CurlBodyReader) {
    let exchange = try CurlExchange(request, proxies, network)
    try await exchange.checkName(network)
    let reader = try CurlBodyReader(exchange, streams.openMailbox(for: exchange), self)
    return (try await reader.head(), reader)
  }
}

extension TransportResponse.Metrics {
  fileprivate mutating func add(_ other: Self) {
    bytesSent += other.bytesSent
    bytesReceived += other.bytesReceived
    elapsed += other.elapsed
    connectionsOpened += other.connectionsOpened
  }
}
