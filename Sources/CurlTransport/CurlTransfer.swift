// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import HTTPTypes

/// What has come of one exchange so far. Touches neither libcurl nor a clock: it is told.
struct CurlTransfer {
  typealias Instant = ContinuousClock.Instant

  /// The most bytes of field lines of one exchange, interim answers included.
  static let headLimit = 256 << 10
  /// The most lines of all heads of one exchange, folds and trailers included: servers send some thirty, and of
  /// short ones so many fit into ``headLimit`` that they could not be kept as fields.
  static let headLineLimit = 1_000
  /// The most that is reserved because an answer announces a length.
  private static let trustedLength = 1 << 20

  let exchange: CurlExchange
  private let recipient: CurlRecipient
  let started: Instant
  private(set) var head: [UInt8] = []
  private(set) var headIsComplete = false
  /// The whole body; empty where it is streamed.
  private var body: [UInt8] = []
  /// How much of the request's body was handed over.
  var bodySent = 0
  /// Why it must end, where libcurl would only know that a callback said no.
  private(set) var failure: TransportError?

  private var headBytesSeen = 0
  private var headLinesSeen = 0
  private var lastActivity: Instant
  /// Whether the request was on its way, over a connection to the server.
  private(set) var isSent = false
  /// Whether libcurl sent the request again, over another connection.
  private(set) var isRepeated = false
  private var bytesMoved = 0
  private var bodyBytes = 0
  /// Since when the sender stands still for a slow reader; nil while it does not.
  private var pausedSince: Instant?
  /// How long the sender stood still before.
  private var paused = Duration.zero

  init(_ exchange: CurlExchange, _ recipient: CurlRecipient, at now: Instant) {
    self.exchange = exchange
    self.recipient = recipient
    started = now
    lastActivity = now
  }

  /// When the limits must be looked at again, if nothing happens until then.
  ///
  /// Until the request is on its way there is no stall: it may wait for its turn, and libcurl itself
  /// bounds the connecting. Nil while the answer waits for its reader: no limit is for that.
  func nextCheck(after now: Instant) -> Instant? {
    if pausedSince != nil { return nil }
    return min(end, (isSent ? lastActivity : now) + exchange.limits.stall)
  }

  /// When the time for the whole exchange is over, unless it stands still.
  private var end: Instant { started + exchange.limits.total + paused }

  /// Notes a reason to end, unless there is one already.
  mutating func fail(_ code: TransportError.Code, _ detail: String = "") {
    if failure == nil { failure = TransportError(code, host: exchange.host, detail: detail) }
  }

  /// Decides about a new connection, to an address already resolved.
  mutating func mayConnect(to address: IPAddress?) -> Bool {
    if exchange.mustBePublic, address.map(exchange.allows) != true {
      fail(.forbiddenAddress, address.map(String.init(describing:)) ?? "")
      return false
    }
    return true
  }

  /// Notes that the request is about to be sent over a connection to an address; false to prevent it.
  ///
  /// When a pooled connection turns out to be dead, libcurl would send a request again by itself. What is
  /// not safe to repeat must not be: the first may have arrived.
  mutating func willSend(to address: @autoclosure () -> IPAddress?, at now: Instant) -> Bool {
    isRepeated = isSent
    if isRepeated, exchange.method != .get, exchange.method != .head {
      fail(.connectionLost, "the pooled connection broke while the request was sent")
    }
    isSent = true
    lastActivity = now
    // A pooled connection was perhaps opened for somebody who may reach any address.
    return failure == nil && (!exchange.mustBePublic || mayConnect(to: address()))
  }

  /// Takes a line of the head; false when there are too many.
  mutating func receiveHeadLine(_ line: UnsafeRawBufferPointer, at now: Instant) -> Bool {
    lastActivity = now
    headBytesSeen += line.count
    guard headBytesSeen <= Self.headLimit else {
      fail(.responseTooLarge, "more than \(Self.headLimit) bytes of header fields")
      return false
    }
    headLinesSeen += 1
    guard headLinesSeen <= Self.headLineLimit else {
      fail(.responseTooLarge, "more than \(Self.headLineLimit) lines of header fields")
      return false
    }
    if headIsComplete || head.isEmpty {
      // A new head follows an interim one (1xx); anything else after a whole head is a trailer.
      guard line.starts(with: "HTTP/".utf8) else { return true }
      head.removeAll(keepingCapacity: true)
      head.reserveCapacity(512)
      headIsComplete = false
    }
    if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
      headIsComplete = true
      if case .stream(let buffer) = recipient, !headIsInterim { buffer.update { $0.receiveHead(head) } }
    } else {
      head.append(contentsOf: line)
    }
    return true
  }

  /// Whether another head follows: that of a 1xx answer, 101 apart, stands before the answer's own.
  private var headIsInterim: Bool {
    let code = head.drop { $0 != UInt8(ascii: " ") }.dropFirst()
    return code.first == UInt8(ascii: "1") && !code.starts(with: "101".utf8)
  }

  /// What becomes of a piece of the body.
  enum Receipt {
    case taken
    /// The reader has to make room first; the same piece comes again after ``resume(at:)``.
    case notYet
    /// It is more than the caller wants.
    case refused
  }

  /// Takes a piece of the body.
  mutating func receiveBody(
    _ bytes: UnsafeRawBufferPointer, announced: @autoclosure () -> Int, at now: Instant
  ) -> Receipt {
    lastActivity = now
    let limit = exchange.limits.responseBytes
    guard bytes.count <= limit - bodyBytes else {
      fail(.responseTooLarge, "more than \(limit) bytes")
      return .refused
    }
    switch recipient {
    case .whole:
      if body.isEmpty {
        body.reserveCapacity(max(bytes.count, min(announced(), limit, Self.trustedLength)))
      }
      body.append(contentsOf: bytes)
    case .stream(let buffer):
      guard buffer.update({ $0.receive(bytes) }) else {
        pausedSince = now
        return .notYet
      }
    }
    bodyBytes += bytes.count
    return .taken
  }

  /// Notes that the reader has made room.
  mutating func resume(at now: Instant) {
    guard let since = pausedSince.take() else { return }
    paused += now - since
    lastActivity = now
  }

  /// Tells who waits for the answer how the exchange ended.
  func tell(_ result: Result<Void, any Error>, _ metrics: TransportResponse.Metrics) {
    switch recipient {
    case .whole(let continuation):
      continuation.resume(with: result.map { CurlAnswer(head: head, body: body, metrics: metrics) })
    case .stream(let buffer): buffer.update { $0.end(result, metrics) }
    }
  }

  /// Whether a limit has run out, given the bytes moved in either direction since the exchange began.
  ///
  /// Bytes that libcurl has not handed over (an upload, compressed data without output yet) count as
  /// activity when they are seen here: the stall may then be noticed up to twice as late.
  mutating func isOverdue(bytesMoved total: Int, at now: Instant) -> Bool {
    if now >= end {
      fail(.timedOut, "no whole answer within \(exchange.limits.total)")
      return true
    }
    if total != bytesMoved {
      bytesMoved = total
      lastActivity = max(lastActivity, now)
    }
    guard isSent, now >= lastActivity + exchange.limits.stall else { return false }
    fail(.timedOut, "no byte for \(exchange.limits.stall)")
    return true
  }
}
