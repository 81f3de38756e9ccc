// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import KithClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Performs HTTP exchanges with Foundation's `URLSession`, without a C library of its own.
///
/// ```swift
/// let client = XRPCClient(service: appview.service, transport: URLSessionTransport())
/// show(client.service)
/// ```
///
/// Keeps no cookies, cached responses or credentials. It has no ``capabilities``: it only calls hosts that
/// the app named, and follows redirects only within one host. Bytes are counted, for the limit of a response
/// and the metrics, after decompression and without heads.
///
/// `URLSession` does not report when it has connected, so the first byte may take as long as the limits
/// `connect` and `stall` together. A GET or HEAD whose pooled connection turns out to be closed is sent again;
/// every other request gets a connection of its own, because `URLSession` would send that again as well.
///
/// On Linux, use it only with servers that you trust. As of Swift 6.3, FoundationNetworking ends the process
/// when a response has trailers, and holds the whole body of a redirect in memory. While a server sends faster
/// than it reads, it does nothing else: an exchange that has failed keeps its connection, and all sessions of
/// the process wait. It reports most TLS failures as a broken connection.
public final class URLSessionTransport: HTTPTransport {
  /// None: the connected address and the size of heads are not visible, and pausing a task to slow a server
  /// down ends the process on Linux.
  public var capabilities: TransportCapabilities { [] }

  /// The maximum number of bytes of a stream that wait for their reader; the stream fails if there are more.
  private let unreadLimit: Int
  private let configuration: Configuration
  private let time: TimeSource
  private let events = URLSessionEvents()
  private let queue = OperationQueue()
  /// For requests that may be sent again.
  private let session: URLSession

  /// Creates a transport; nothing is opened before the first request.
  ///
  /// - Parameter time: Measures the limits; a manual clock in tests.
  public convenience init(_ configuration: Configuration = Configuration(), time: TimeSource = .system) {
    self.init(configuration, time: time, unreadLimit: 64 << 20)
  }

  init(_ configuration: Configuration, time: TimeSource, unreadLimit: Int) {
    self.configuration = configuration
    self.unreadLimit = unreadLimit
    self.time = time
    // The events of a task arrive in order.
    queue.maxConcurrentOperationCount = 1
    session = Self.session(configuration, events, queue)
  }

  deinit { close() }

  /// Ends all exchanges in progress with `closed`. Later requests fail with `closed`.
  public func close() {
    events.close()
    session.finishTasksAndInvalidate()
  }

  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let (head, reader, before, _) = try await answer(to: request, unread: .max)
    let body = try await TransportBody(reader).collect(upTo: .max)
    return TransportResponse(head: head, body: body, metrics: before.adding(reader.metrics))
  }

  /// Sends a request and waits for the head of the response; the body is read as it arrives.
  ///
  /// The server is not slowed down: with more than 64 MiB waiting for the reader, the stream fails with
  /// `responseTooLarge`.
  public func open(_ request: TransportRequest) async throws -> TransportStream {
    let (head, reader, _, last) = try await answer(to: request, unread: unreadLimit)
    return TransportStream(
      head: head, body: TransportBody(reader), redirect: last.head == request.head ? nil : last.head)
  }

  /// Performs exchanges up to the head of the final response, and returns the cost of those before it, and the last request.
  private func answer(
    to request: TransportRequest, unread: Int
  ) async throws -> (HTTPResponse, URLSessionBodyReader, TransportResponse.Metrics, TransportRequest) {
    let started = time.now
    var hop = request
    var before = TransportResponse.Metrics()
    var redirect = Redirect(request) { Redirect.Target($0, against: $1) }
    while true {
      let (head, reader) = try await exchange(hop, unread: unread)
      guard let next = try redirect.next(after: hop, head) else {
        return (head, reader, before, hop)
      }
      before = before.adding(reader.metrics)
      before.elapsed = time.now - started
      hop = next
      hop.limits.total = request.limits.total - before.elapsed
    }
  }

  /// Performs one exchange up to the head of the response, without following redirects.
  private func exchange(
    _ request: TransportRequest, unread: Int
  ) async throws -> (HTTPResponse, URLSessionBodyReader) {
    try request.check(capabilities)
    let urlRequest = try URLRequest(request, userAgent: configuration.userAgent)
    try Task.checkCancellation()
    let transfer = URLSessionTransfer(
      host: request.head.authority ?? "", limits: request.limits, unreadLimit: unread,
      bodySent: request.body?.count ?? 0, at: time.now)
    let exchange = URLSessionExchange(transfer, time)
    let mayBeRepeated = request.head.method == .get || request.head.method == .head
    let session = mayBeRepeated ? session : Self.session(configuration, events, queue)
    defer { if !mayBeRepeated { session.finishTasksAndInvalidate() } }
    let reader = URLSessionBodyReader(exchange, self)
    try events.start(exchange) { session.dataTask(with: urlRequest) }
    return (try await reader.head(), reader)
  }

  private static func session(
    _ configuration: Configuration, _ events: URLSessionEvents, _ queue: OperationQueue
  ) -> URLSession {
    let settings = URLSessionConfiguration.ephemeral
    settings.urlCache = nil
    settings.requestCachePolicy = .reloadIgnoringLocalCacheData
    settings.httpCookieStorage = nil
    settings.httpShouldSetCookies = false
    settings.urlCredentialStorage = nil
    // The limits are checked here: FoundationNetworking only knows whole seconds.
    settings.timeoutIntervalForRequest = URLRequest.longestTime
    settings.httpMaximumConnectionsPerHost = configuration.connectionsPerHost
    return URLSession(configuration: settings, delegate: events, delegateQueue: queue)
  }
}

extension TransportResponse.Metrics {
  /// Returns the cost of two exchanges, one after the other.
  fileprivate func adding(_ other: Self) -> Self {
    Self(
      bytesSent: bytesSent + other.bytesSent, bytesReceived: bytesReceived + other.bytesReceived,
      elapsed: elapsed + other.elapsed, connectionsOpened: connectionsOpened + other.connectionsOpened)
  }
}
