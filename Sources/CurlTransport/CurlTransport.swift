// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
import ATProtoCore
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
/// are always verified. Where a pooled connection turns out to be dead, a GET is sent once more over
/// another; nothing else is ever repeated. The thread starts with the first request and ends with
/// ``close()``, or when the transport is freed.
public final class CurlTransport: HTTPTransport {
  private enum State {
    case unused
    case running(CurlMailbox, CurlThread)
    case closed
  }

  private let configuration: Configuration
  private let proxies: ProxyRules
  private let state = PosixMutex(State.unused)

  /// Makes a transport; nothing is opened before the first request.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    proxies = ProxyRules(configuration.proxy)
  }

  deinit { close() }

  /// Ends all exchanges under way with `closed`, closes all connections and waits for the thread to end.
  ///
  /// Blocks for some milliseconds at most. Later requests fail with `closed`.
  public func close() {
    let last = state.withLock { state in
      defer { state = .closed }
      return state
    }
    guard case .running(let mailbox, let thread) = last else { return }
    mailbox.close()
    thread.join()
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

  /// One request and its answer, without regard to redirects.
  private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
    let exchange = try CurlExchange(request, proxies)
    let mailbox = try openMailbox(for: exchange)
    let answer = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if !mailbox.post(.start(exchange, continuation)) {
          continuation.resume(throwing: TransportError(.closed, host: exchange.host))
        }
      }
    } onCancel: {
      exchange.isCancelled.store(true, ordering: .releasing)
      _ = mailbox.post(.cancel(exchange))
    }
    guard let head = HTTPResponse(head: answer.head) else {
      throw TransportError(.malformedResponse, host: exchange.host, detail: "its head cannot be parsed")
    }
    return TransportResponse(head: head, body: answer.body, metrics: answer.metrics)
  }

  /// The running loop's mailbox; starts the loop when it is the first request.
  private func openMailbox(for exchange: CurlExchange) throws(TransportError) -> CurlMailbox {
    let mailbox = state.withLock { state -> Result<CurlMailbox, TransportError> in
      switch state {
      case .running(let mailbox, _): return .success(mailbox)
      case .closed: return .failure(TransportError(.closed, host: exchange.host))
      case .unused:
        guard let (mailbox, thread) = startLoop() else {
          return .failure(
            TransportError(.cannotConnect, host: exchange.host, detail: "libcurl or its thread did not start")
          )
        }
        state = .running(mailbox, thread)
        return .success(mailbox)
      }
    }
    return try mailbox.get()
  }

  private func startLoop() -> (CurlMailbox, CurlThread)? {
    guard let wakePipe = WakePipe() else { return nil }
    let mailbox = CurlMailbox(wakePipe)
    let thread = CurlThread { [configuration] in
      CurlMultiLoop(mailbox, wakePipe, configuration).run()
    }
    return thread.map { (mailbox, $0) }
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
