// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPTypes
import KithClient

/// The state of one exchange. Independent of libcurl and clocks: the caller passes in events and times.
struct CurlTransfer {
  typealias Instant = ContinuousClock.Instant

  /// The maximum size of all field lines of one exchange in bytes, including interim responses.
  static let headLimit = 256 << 10
  /// The maximum number of lines in all heads of one exchange, including folded lines and trailers. Servers
  /// send about thirty; ``headLimit`` alone allows more short lines than could be stored as fields.
  static let headLineLimit = 1_000
  /// How much longer than the body a response may be as received, before decompression. Compressed data
  /// without content (empty blocks, skippable frames) would otherwise be received until the time ends.
  static let framingAllowance = 64 << 10
  /// How many bytes on the wire may carry one byte of the body: enough for chunks of two bytes each.
  static let bytesOnWirePerByte = 4
  /// The maximum capacity that is reserved because a response announces its length.
  private static let trustedLength = 1 << 20

  let exchange: CurlExchange
  private let recipient: CurlRecipient
  let started: Instant
  private(set) var head: [UInt8] = []
  private(set) var headIsComplete = false
  /// The whole body; empty if it is streamed.
  private var body: [UInt8] = []
  /// How much of the request body has been sent.
  var bodySent = 0
  /// The reason to end, for failures of which libcurl would only know that a callback refused.
  private(set) var failure: TransportError?

  private var headBytesSeen = 0
  private var headLinesSeen = 0
  private var lastActivity: Instant
  /// Whether the request was sent over a connection to the server.
  private(set) var isSent = false
  /// Whether libcurl sent the request again over another connection.
  private(set) var isRepeated = false
  private var bytesMoved = 0
  private var bodyBytes = 0
  /// When the sender was paused for a slow reader; nil if it is not paused.
  private var pausedSince: Instant?
  /// How long the sender was paused before.
  private var paused = Duration.zero

  init(_ exchange: CurlExchange, _ recipient: CurlRecipient, at now: Instant) {
    self.exchange = exchange
    self.recipient = recipient
    started = now
    lastActivity = now
  }

  /// Returns when the limits must be checked again, if nothing happens until then.
  ///
  /// There is no stall before the request is sent: it may wait for its turn, and libcurl itself limits the
  /// connect time. Nil while the response waits for its reader, which no limit covers.
  func nextCheck(after now: Instant) -> Instant? {
    if pausedSince != nil { return nil }
    return min(end, (isSent ? lastActivity : now) + exchange.limits.stall)
  }

  /// When the time for the whole exchange ends, unless it is paused.
  private var end: Instant { started + exchange.limits.total + paused }

  /// Records a reason to end, unless there is one already.
  mutating func fail(_ code: TransportError.Code, _ detail: String = "") {
    if failure == nil { failure = TransportError(code, host: exchange.host, detail: detail) }
  }

  /// Decides whether a new connection may be opened to a resolved address.
  mutating func mayConnect(to address: IPAddress?) -> Bool {
    if exchange.mustBePublic, address.map(exchange.allows) != true {
      fail(.forbiddenAddress, address.map(String.init(describing:)) ?? "")
      return false
    }
    return true
  }

  /// Records that the request is about to be sent over a connection to an address; false to prevent it.
  ///
  /// If a pooled connection turns out to be closed, libcurl would send the request again by itself. Requests
  /// that are not safe to retry must not be sent again, because the first one may have arrived.
  mutating func willSend(to address: @autoclosure () -> IPAddress?, at now: Instant) -> Bool {
    isRepeated = isSent
    if isRepeated, exchange.method != .get, exchange.method != .head {
      fail(.connectionLost, "the pooled connection broke while the request was sent")
    }
    isSent = true
    lastActivity = now
    // A pooled connection may have been opened by an exchange that may reach any address.
    return failure == nil && (!exchange.mustBePublic || mayConnect(to: address()))
  }

  /// Adds a line of the head; false if there are too many.
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
      // A new head follows an interim one (1xx); anything else after a complete head is a trailer.
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

  /// Whether another head follows: a 1xx response, except 101, comes before the final one.
  private var headIsInterim: Bool {
    let code = head.drop { $0 != UInt8(ascii: " ") }.dropFirst()
    return code.first == UInt8(ascii: "1") && !code.starts(with: "101".utf8)
  }

  /// What happened to a piece of the body.
  enum Receipt {
    case taken
    /// The reader has to make room first; the same piece comes again after ``resume(at:)``.
    case notYet
    /// The body exceeds the caller's limit.
    case refused
  }

  /// Adds a piece of the body.
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

  /// Whether the bytes of the body received so far, before decompression, are within the limit.
  mutating func mayContinue(received: Int) -> Bool {
    if received - Self.framingAllowance <= exchange.limits.responseBytes { return true }
    fail(.responseTooLarge, "more than \(exchange.limits.responseBytes) bytes before decompression")
    return false
  }

  /// Whether the connection carries only this response at this time: from its head on, with HTTP/1.
  var isAloneOnItsConnection: Bool { headIsComplete && head.starts(with: "HTTP/1".utf8) }

  /// Whether the bytes that the connection received for this response are within the limit: the extension of
  /// a chunk may be endless.
  mutating func mayContinue(onWire received: Int) -> Bool {
    let (most, isHuge) = exchange.limits.responseBytes.multipliedReportingOverflow(
      by: Self.bytesOnWirePerByte)
    if isHuge || received - Self.framingAllowance - Self.headLimit <= most { return true }
    fail(.responseTooLarge, "more than \(most) bytes with the framing of chunks")
    return false
  }

  /// Records why the system gave no socket, if this process or the system has none left.
  mutating func couldNotOpenSocket(_ number: Int32) {
    if number == EMFILE || number == ENFILE { fail(.cannotConnect, String(cString: strerror(number))) }
  }

  /// Records that the reader has made room.
  mutating func resume(at now: Instant) {
    guard let since = pausedSince.take() else { return }
    paused += now - since
    lastActivity = now
  }

  /// Reports to the recipient how the exchange ended.
  func tell(_ result: Result<Void, any Error>, _ metrics: TransportResponse.Metrics) {
    switch recipient {
    case .whole(let continuation):
      continuation.resume(with: result.map { CurlAnswer(head: head, body: body, metrics: metrics) })
    case .stream(let buffer): buffer.update { $0.end(result, metrics) }
    }
  }

  /// Whether a limit is exceeded, given the bytes moved in both directions since the exchange began.
  ///
  /// Bytes that libcurl has not delivered (an upload, compressed data without output yet) count as activity
  /// when they are seen here, so a stall may be noticed up to twice as late.
  mutating func isOverdue(bytesMoved total: Int, at now: Instant) -> Bool {
    if now >= end {
      fail(.timedOut, "no complete response within \(exchange.limits.total)")
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
