// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
import HTTPTypes
import Synchronization

/// Carries HTTP exchanges over libcurl's multi interface, on one thread for all of them.
///
/// ```swift
/// let transport = CurlTransport()
/// let answer = try await transport.send(request)
/// ```
///
/// Connections are pooled and reused; over TLS with HTTP/2 all exchanges with a host share one. Certificates
/// are always verified. Where a pooled connection turns out to be dead, libcurl sends a GET or a HEAD again over
/// another, up to five times where those are dead too; nothing else is ever repeated. The thread starts with the
/// first request and ends with ``close()``, or when the transport is freed.
///
/// What ``open(_:)`` streams has a thread and connections of its own, over HTTP/1.1: an answer that waits for
/// its reader holds up its connection (over HTTP/2 that may be all streams of it), and
/// the connection's own window is what stops the sender.
public final class CurlTransport: HTTPTransport {
  private let proxies: ProxyRules
  private let network: HostNetwork
  private let calls: CurlLane
  private let streams: CurlLane

  /// Makes a transport; nothing is opened before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, network: .system)
  }

  init(_ configuration: Configuration, network: HostNetwork) {
    self.network = network
    proxies = ProxyRules(configuration.proxy)
    calls = CurlLane(configuration)
    var plain = configuration
    plain.httpVersion = .http1
    streams = CurlLane(plain)
  }

  deinit { close() }

  /// Ends all exchanges under way with `closed`, closes all connections and waits for the threads to end.
  ///
  /// Blocks for some milliseconds at most. Later requests fail with `closed`.
  public func close() {
    calls.close()
    streams.close()
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

  /// Sends a request and waits for the answer's head; the body is read as it comes.
  ///
  /// At most 256 KiB wait for the reader, and what libcurl unpacked of one read from the socket; then the sender is
  /// stopped. While a stream is not read to its end it occupies one of the ``Configuration/connectionsPerHost``.
  public func open(_ request: TransportRequest) async throws -> TransportStream {
    let started = ContinuousClock.now
    var hop = request
    var redirect = Redirect(request)
    while true {
      let (head, reader) = try await stream(hop)
      guard let next = try redirect.next(after: hop, head) else {
        return TransportStream(head: head, body: TransportBody(reader))
      }
      hop = next
      hop.limits.total = request.limits.total - (ContinuousClock.now - started)
    }
  }

  /// One request and its answer, without regard to redirects.
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

  /// One request and the beginning of its answer, without regard to redirects.
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
