// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// A Jetstream: serves an ``EventStream`` by WebSocket.
///
/// Both wires behave as those of Bluesky's server: a cursor that is not there yet leads to live events without a notice, and the
/// older wire never carries `sync` events, nor the records that follow them.
struct StreamServer: Sendable {
  /// The method of the newer wire.
  static let method = "network.bsky.jetstream.subscribeEvents"
  /// The path of the older wire.
  static let olderPath = "/subscribe"
  private static let subprotocol = "xrpc.v1.json"
  /// Cursors from here on are microseconds since 1970, and numbers of events below it.
  private static let firstTime: Int64 = 1_000_000_000_000_000

  let stream: EventStream

  /// One reader.
  private struct Subscription: Sendable {
    let isOlder: Bool
    /// Whether frames of the older wire tell the numbers of events.
    let hasCursor: Bool
    let filter: StreamFilter
    /// Where it begins; nil for the next event.
    let start: Int64?
    /// Whether nothing is sent before the reader has told its options.
    let waitsForHello: Bool
    /// The first frame.
    let notice: String?
    let epoch: Int
  }

  /// The connection ends without a close frame.
  private struct Dropped: Error {}

  /// Answers a request for the newer wire.
  func answer(_ request: LocalRequest) throws(XRPCFault) -> LocalResponse {
    if stream.manners.isLegacy { return Self.text(404, "404 page not found") }
    if stream.refuses() {
      throw XRPCFault(
        status: 503, name: "ServiceUnavailable", message: "service not ready: cursor replay warming up")
    }
    let query = try QueryString.items(of: request.query)
    if !query.values("zstdDictionary").isEmpty {
      throw XRPCFault(status: 400, name: "UnknownZstdDictionary", message: "there is no dictionary here")
    }
    let epoch = stream.epoch
    let filter: StreamFilter
    do { filter = try StreamFilter(query) } catch { throw .invalidRequest(error.words) }
    var (start, notice) = (stream.next, String?.none)
    switch try Self.cursor(in: query).map(place) ?? .live {
    case .live: break
    case .at(let seq, let isClamped):
      start = seq
      if isClamped {
        notice = StreamEvent.notice(
          "OutdatedCursor", "cursor is below the retention floor; resuming at seq \(seq)")
      }
    case .tooOld(let floor):
      throw XRPCFault(
        status: 400, name: "CursorTooOld",
        message: "cursor is below the retention floor; floor seq is \(floor)")
    }
    let subprotocol = request.subprotocols.contains(Self.subprotocol) ? Self.subprotocol : nil
    return open(
      Subscription(
        isOlder: false, hasCursor: true, filter: filter, start: start, waitsForHello: false, notice: notice,
        epoch: epoch), subprotocol)
  }

  /// Answers a request for the older wire, with errors in plain text.
  func olderAnswer(_ request: LocalRequest) -> LocalResponse {
    if stream.refuses() { return Self.text(503, "service not ready: cursor replay warming up") }
    do {
      let query = try QueryString.items(of: request.query)
      guard query.values("compress") != ["true"], request["socket-encoding"]?.contains("zstd") != true else {
        return Self.text(400, "compression is not offered here")
      }
      let epoch = stream.epoch
      let waits = query.values("requireHello") == ["true"]
      var start: Int64? = waits ? nil : stream.next
      switch try Self.cursor(in: query).map(place) ?? .live {
      case .live: break
      case .at(let seq, _), .tooOld(let seq): start = seq
      }
      return open(
        Subscription(
          isOlder: true, hasCursor: !stream.manners.isLegacy, filter: try StreamFilter(older: query),
          start: start,
          waitsForHello: waits, notice: nil, epoch: epoch), nil)
    } catch let fault as StreamFilter.Fault {
      return Self.text(400, "invalid options: \(fault.words)")
    } catch {
      return Self.text(400, (error as? XRPCFault)?.message ?? "\(error)")
    }
  }

  private static func cursor(in query: [XRPCQueryItem]) throws(XRPCFault) -> Int64? {
    guard let text = query.values("cursor").first, !text.isEmpty else { return nil }
    guard let cursor = Int64(text), cursor >= 0 else { throw .invalidRequest("invalid cursor: \(text)") }
    return cursor
  }

  private func place(of cursor: Int64) -> EventStream.Start {
    cursor < Self.firstTime && !stream.manners.isLegacy
      ? stream.start(seq: cursor) : stream.start(microseconds: cursor)
  }

  private static func text(_ status: Int, _ text: String) -> LocalResponse {
    LocalResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array("\(text)\n".utf8))
  }

  // MARK: - Connections

  private func open(_ subscription: Subscription, _ subprotocol: String?) -> LocalResponse {
    guard !stream.manners.isSilent else { return .webSocket(subprotocol: subprotocol, nil) }
    return .webSocket(subprotocol: subprotocol) { connection in
      try await stream.counting { try await serve(subscription, connection) }
    }
  }

  private func serve(_ subscription: Subscription, _ connection: any WebSocketConnection) async throws {
    let filter = PosixMutex(subscription.filter)
    let hello = FirstOutcome<Void>()
    if !subscription.waitsForHello { hello.settle(.success(())) }
    try await withThrowingTaskGroup { group in
      group.addTask {
        while let message = try await connection.next() {
          guard subscription.isOlder else {
            return await connection.close(.policyViolation, "clients send nothing here")
          }
          guard let update = try await Self.options(in: message, of: connection) else { continue }
          filter.withLock { $0 = update }
          hello.settle(.success(()))
        }
      }
      group.addTask {
        try await hello.value()
        try await deliver(subscription, filter, to: connection)
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// The filter in a message of a reader; nil if it is about something else. Closes the connection for a wrong one.
  private static func options(
    in message: WebSocketMessage, of connection: any WebSocketConnection
  ) async throws -> StreamFilter? {
    struct Envelope: Decodable { let type: String? }
    struct Update: Decodable {
      struct Payload: Decodable {
        let wantedCollections: [String]?
        let wantedDids: [String]?
        let maxMessageSizeBytes: Int?
      }
      let payload: Payload
    }
    guard message.bytes.count <= 10_000_000 else {
      await connection.close(.messageTooLarge, "more than 10000000 bytes")
      return nil
    }
    guard message.isText else { return nil }
    do {
      guard try JSONCoding.decode(Envelope.self, from: message.bytes).type == "options_update" else {
        return nil
      }
      let payload = try JSONCoding.decode(Update.self, from: message.bytes).payload
      return try StreamFilter(
        wantedCollections: payload.wantedCollections ?? [], wantedDIDs: payload.wantedDids ?? [],
        mostBytes: payload.maxMessageSizeBytes ?? 0)
    } catch let fault as StreamFilter.Fault {
      await connection.close(.policyViolation, fault.words)
    } catch {
      await connection.close(.invalidText, "bad options_update")
    }
    return nil
  }

  private func deliver(
    _ subscription: Subscription, _ filter: PosixMutex<StreamFilter>, to connection: any WebSocketConnection
  ) async throws {
    var next = subscription.start ?? stream.next
    var sent = 0
    if let notice = subscription.notice { try await connection.send(.text(notice)) }
    while true {
      if let ending = stream.manners.ending, sent >= ending.events {
        return try await end(subscription, ending.manner, at: next, connection)
      }
      switch try await stream.read(from: next, in: subscription.epoch) {
      case .over: throw Dropped()
      case .overtaken: return try await end(subscription, .consumerTooSlow, at: next, connection)
      case .events(let events):
        let left = stream.manners.ending.map { $0.events - sent } ?? .max
        var taken = 0
        for event in events where taken < left {
          next = event.seq + 1
          let filter = filter.withLock(\.self)
          guard filter.wants(event) else { continue }
          let frame = subscription.isOlder ? event.olderFrame(hasCursor: subscription.hasCursor) : event.frame
          guard let frame, filter.admits(frame) else { continue }
          try await connection.send(.text(frame))
          taken += 1
        }
        sent += taken
      }
    }
  }

  private func end(
    _ subscription: Subscription, _ manner: SandboxStream.Ending.Manner, at next: Int64,
    _ connection: any WebSocketConnection
  ) async throws {
    switch manner {
    case .consumerTooSlow where !subscription.isOlder:
      try await connection.send(
        .text(StreamEvent.error("ConsumerTooSlow", "the consumer is too slow; reconnect with cursor=\(next)"))
      )
      await connection.close(.policyViolation, "ConsumerTooSlow")
    case .goingAway: await connection.close(.goingAway, "server shutting down")
    default: throw Dropped()
    }
  }
}
