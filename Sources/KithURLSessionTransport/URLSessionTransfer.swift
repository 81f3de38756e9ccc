// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient

/// The state of one exchange: what has arrived but was not read, and the limits. Independent of `URLSession`,
/// locks and clocks: the caller passes in events and times.
struct URLSessionTransfer {
  /// What the reader gets.
  enum Taken {
    case head(HTTPResponse)
    case bytes([UInt8])
    case end(Result<Void, any Error>)
    /// Nothing yet.
    case nothing
  }

  let host: String
  /// The cost of the exchange; final at its end.
  private(set) var metrics: TransportResponse.Metrics
  /// Whether the head of the response has arrived.
  private(set) var hasHead = false
  private let limits: TransportRequest.Limits
  private let unreadLimit: Int
  private let started: Duration
  /// When the last byte moved; nil before the first.
  private var lastActivity: Duration?
  private var head: HTTPResponse?
  private var bytes: [UInt8] = []
  private var bodyBytes = 0
  private var outcome: Result<Void, any Error>?

  init(
    host: String, limits: TransportRequest.Limits, unreadLimit: Int, bodySent: Int, at now: Duration
  ) {
    self.host = host
    self.limits = limits
    self.unreadLimit = unreadLimit
    started = now
    metrics = TransportResponse.Metrics(bytesSent: bodySent)
  }

  var hasEnded: Bool { outcome != nil }

  /// Whether ``take()`` would return something.
  var hasNews: Bool { head != nil || !bytes.isEmpty || outcome != nil }

  /// Records that bytes were sent.
  mutating func sent(at now: Duration) { lastActivity = now }

  /// Adds the head of a response; interim ones are ignored, and another one after it.
  mutating func receive(_ head: HTTPResponse, at now: Duration) {
    lastActivity = now
    let isInterim = head.status.kind == .informational && head.status.code != 101
    guard !isInterim, !hasHead, !hasEnded else { return }
    hasHead = true
    self.head = head
  }

  /// Adds a piece of the body, or as much of it as the limits allow.
  mutating func receive(_ piece: some Collection<UInt8>, at now: Duration) {
    lastActivity = now
    guard !hasEnded else { return }
    let room = limits.responseBytes - bodyBytes
    bytes.append(contentsOf: piece.prefix(room))
    bodyBytes += min(room, piece.count)
    metrics.bytesReceived = bodyBytes
    if piece.count > room {
      fail(.responseTooLarge, "more than \(limits.responseBytes) bytes", at: now)
    } else if bytes.count > unreadLimit {
      fail(.responseTooLarge, "more than \(unreadLimit) bytes wait to be read", at: now)
    }
  }

  /// Records how the exchange ended; earlier bytes can still be taken. Only the first end counts.
  mutating func end(_ result: Result<Void, any Error>, at now: Duration) {
    guard !hasEnded else { return }
    metrics.elapsed = now - started
    outcome = result
  }

  mutating func fail(_ code: TransportError.Code, _ detail: String = "", at now: Duration) {
    end(.failure(TransportError(code, host: host, detail: detail)), at: now)
  }

  /// Discards received and future bytes.
  ///
  /// If there were unread bytes, the end still becomes a cancellation.
  mutating func stop(at now: Duration) {
    end(.failure(CancellationError()), at: now)
    if head != nil || !bytes.isEmpty { outcome = .failure(CancellationError()) }
    head = nil
    bytes = []
  }

  mutating func dequeue() -> Taken {
    if let head = head.take() { return .head(head) }
    if !bytes.isEmpty {
      var taken: [UInt8] = []
      swap(&taken, &bytes)
      return .bytes(taken)
    }
    return outcome.map(Taken.end) ?? .nothing
  }

  /// Ends the exchange if a limit is exceeded.
  ///
  /// - Returns: How long until the limits must be checked again; nil if the exchange has ended.
  mutating func checkLimits(at now: Duration) -> Duration? {
    guard !hasEnded else { return nil }
    let end = started + limits.total
    // The time to connect is not known apart from the time to the first byte.
    let stall = lastActivity.map { $0 + limits.stall } ?? started + limits.connect + limits.stall
    if now >= end {
      fail(.timedOut, "no complete response within \(limits.total)", at: now)
    } else if now >= stall {
      fail(
        .timedOut, "no byte for \(lastActivity == nil ? limits.connect + limits.stall : limits.stall)",
        at: now)
    }
    // The first byte moves the stall to an earlier time, which is noticed up to twice as late.
    return hasEnded ? nil : min(end, stall, now + limits.stall) - now
  }
}
