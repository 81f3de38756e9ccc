// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithCore

/// A subscription to what happens on the network, as JSON over a WebSocket.
///
/// ```swift
/// let stream = Jetstream(JetstreamFilter(collections: ["app.bsky.graph.follow"]), transport: CurlTransport())
/// for try await element in stream.elements(after: nil) {
///   if case .event(let event) = element { show(event.did, event.kind) }
/// }
/// ```
///
/// Connects again by itself, after 250 ms to 30 s, and continues after the last event that was taken. A reader that is too
/// slow is disconnected, and continues there as well. Prefers the second version of the protocol, and takes the first where a
/// host has no other.
///
/// Specification: <https://github.com/bluesky-social/jetstream>; lexicon `network.bsky.jetstream.subscribeEvents`.
public struct Jetstream: Sendable {
  let filter: JetstreamFilter
  let host: ServiceURL
  let transport: CheckedTransport
  let time: TimeSource
  let random: @Sendable () -> Double

  /// Creates a subscription; nothing is opened before it is read.
  ///
  /// - Parameters:
  ///   - host: the host, which learns the filter and the address of this machine.
  ///   - transport: needs ``TransportCapabilities/webSocket``.
  ///   - random: returns numbers between 0 and 1, for the jitter of waits.
  public init(
    _ filter: JetstreamFilter, host: ServiceURL = .publicJetstream, transport: any HTTPTransport,
    time: TimeSource = .system, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.filter = filter
    self.host = host
    self.transport = CheckedTransport(transport)
    self.time = time
    self.random = random
  }

  /// What happens, from an event on.
  ///
  /// - Parameter cursor: where another subscription ended, at this host or another one; nil to begin with what happens now.
  public func elements(after cursor: StreamCursor?) -> JetstreamElements {
    JetstreamElements(stream: self, cursor: cursor)
  }
}

extension ServiceURL {
  /// The host of Bluesky that is used if no other is named.
  public static let publicJetstream = ServiceURL(knownHost: "jetstream.us-east.bsky.network")

  /// Parses the address of a stream, which may begin with `wss://` or `ws://` as well.
  ///
  /// - Throws: ``ServiceURL/Fault``.
  public init(parsingStream text: some StringProtocol) throws(Fault) {
    let text = String(text)
    if text.lowercased().hasPrefix("wss://") {
      try self.init(parsing: "https://" + text.dropFirst(6))
    } else if text.lowercased().hasPrefix("ws://") {
      try self.init(parsing: "http://" + text.dropFirst(5))
    } else {
      try self.init(parsing: text)
    }
  }
}

/// The elements of a ``Jetstream``: endless, until the task that reads them is cancelled or the iterator is released.
public struct JetstreamElements: AsyncSequence, Sendable {
  public typealias Element = JetstreamElement
  public typealias Failure = any Error

  let stream: Jetstream
  let cursor: StreamCursor?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream, cursor) }

  /// Reads a subscription. It has a connection while it is read.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var waiting: ArraySlice<JetstreamElement> = []
    private var reader: JetstreamReader

    init(_ stream: Jetstream, _ cursor: StreamCursor?) { reader = JetstreamReader(stream, cursor) }

    /// Waits for the next element.
    ///
    /// - Throws: ``StreamError`` if the stream cannot go on; `CancellationError`.
    public mutating func next() async throws -> JetstreamElement? { try await next(atMost: 1).first }

    /// Waits for an element, and takes with it those that are there already; never empty.
    ///
    /// - Throws: as ``next()``.
    public mutating func next(atMost most: Int) async throws -> [JetstreamElement] {
      while waiting.isEmpty { waiting = try await reader.read(atMost: most)[...] }
      defer { waiting = waiting.dropFirst(most) }
      return Array(waiting.prefix(most))
    }

    /// What was received so far.
    public var statistics: JetstreamStatistics { reader.statistics }
  }
}

/// What a subscription has received.
public struct JetstreamStatistics: Sendable, Hashable {
  /// Events that were delivered.
  public var events = 0
  /// Events that came again after a resume, and were left out.
  public var repeated = 0
  /// Messages of unknown kinds, and those that could not be read.
  public var skipped = 0
  /// Bytes of messages.
  public var bytes = 0
  /// Connections that were opened.
  public var connections = 0
}

/// Reads the connections of a subscription, one after the other.
struct JetstreamReader {
  /// An open connection, and the task that notices when it falls silent.
  private final class Open {
    let socket: any WebSocketConnection
    let wire: JetstreamConnection.Wire
    private let watch: Task<Void, Never>

    init(_ socket: any WebSocketConnection, _ wire: JetstreamConnection.Wire, _ time: TimeSource) {
      (self.socket, self.wire) = (socket, wire)
      watch = Task { [weak socket] in
        while let before = socket?.bytesReceived {
          guard (try? await time.sleep(for: Jetstream.silence)) != nil else { return }
          guard socket?.bytesReceived == before else { continue }
          try? await socket?.ping()
          guard (try? await time.sleep(for: Jetstream.patience)) != nil else { return }
          if socket?.bytesReceived == before { socket?.drop() }
        }
      }
    }

    deinit { watch.cancel() }
  }

  private let stream: Jetstream
  private var position: JetstreamPosition
  private var wire = JetstreamConnection.Wire.v2
  private var open: Open?
  /// Connections in a row that brought nothing.
  private var failures = 0
  /// When the next connection may be made, on the clock of the subscription.
  private var earliest = Duration.zero
  /// Events in a row that the host was not asked for.
  private var outside = 0
  /// Whether the host is asked to leave out messages that are too large.
  private var isBounded = false
  private(set) var statistics = JetstreamStatistics()

  init(_ stream: Jetstream, _ cursor: StreamCursor?) {
    self.stream = stream
    position = JetstreamPosition(host: stream.host.authority, after: cursor)
  }

  /// Waits for elements; none if there is nothing to tell yet.
  mutating func read(atMost most: Int) async throws -> [JetstreamElement] {
    try Task.checkCancellation()
    guard let open else { return try await connect() }
    do {
      let messages = try await open.socket.next(atMost: most)
      guard !messages.isEmpty else { throw WebSocketError(.closed, closeCode: .normal) }
      return try take(messages, open.wire)
    } catch is CancellationError {
      self.open = nil
      throw CancellationError()
    } catch let error as StreamError {
      self.open = nil
      throw error
    } catch {
      if (error as? WebSocketError)?.code == .messageTooLarge {
        isBounded = true
        position.miss(.messageTooLarge)
      }
      return [disconnect(error)]
    }
  }

  private mutating func disconnect(_ error: any Error, after asked: Duration? = nil) -> JetstreamElement {
    open = nil
    let bound = min(Jetstream.firstWait * (1 << min(failures, 8)), Jetstream.longestWait)
    failures += 1
    let wait = max(min(asked ?? .zero, Jetstream.longestAskedWait), bound / 2 + bound / 2 * stream.random())
    earliest = stream.time.now + wait
    return .disconnected(error, retryIn: wait)
  }

  // MARK: - Messages

  private mutating func take(
    _ messages: [WebSocketMessage], _ wire: JetstreamConnection.Wire
  ) throws -> [JetstreamElement] {
    var elements: [JetstreamElement] = []
    let now = stream.time.instant
    for message in messages {
      statistics.bytes += message.bytes.count
      switch JetstreamFrame(message.bytes, wire: wire, host: position.host) {
      case .skipped: statistics.skipped += 1
      case .info(let name): if name == "OutdatedCursor" { position.miss(.cursorTooOld) }
      case .error(let name, let words):
        return elements + [
          disconnect(WebSocketError(.closed, detail: words.isEmpty ? name : "\(name): \(words)"))
        ]
      case .event(let event):
        guard try isAskedFor(event) else { continue }
        switch position.receive(event, at: now) {
        case .drop: statistics.repeated += 1
        case .reconnect:
          open = nil
          return elements
        case .take(let event, let gap):
          failures = 0
          if let gap { elements.append(.gap(gap)) }
          guard stream.filter.wants(event) else { continue }
          statistics.events += 1
          elements.append(.event(event))
        }
      }
    }
    return elements
  }

  private mutating func isAskedFor(_ event: JetstreamEvent) throws(StreamError) -> Bool {
    guard !stream.filter.asksFor(event) else {
      outside = 0
      return true
    }
    statistics.skipped += 1
    outside += 1
    guard outside < Jetstream.mostOutside else { throw StreamError(.filterIgnored, host: position.host) }
    return false
  }

  // MARK: - Connections

  private mutating func connect() async throws -> [JetstreamElement] {
    let wait = earliest - stream.time.now
    if wait > .zero { try await stream.time.sleep(for: wait) }
    let before = position.cursor
    let start = position.connect()
    let request = stream.request(wire, from: start, bounded: isBounded)
    do {
      let limits = WebSocketLimits(messageBytes: Jetstream.messageBytes)
      switch try await stream.transport.openWebSocket(request, limits: limits) {
      case .opened(let socket, _):
        open = Open(socket, wire, stream.time)
        statistics.connections += 1
        return [
          .connected(JetstreamConnection(host: position.host, wire: wire, resumedAfter: before))
        ]
      case .refused(let answer): return try refused(answer)
      }
    } catch let error as TransportError {
      guard error.isTransient || error.isOffline else {
        throw StreamError(.unsupported, host: position.host, detail: error.detail, underlying: error)
      }
      return [disconnect(error)]
    }
  }

  private mutating func refused(_ answer: TransportResponse) throws -> [JetstreamElement] {
    let status = answer.head.status.code
    let refusal = try? JSONCoding.decode(Refusal.self, from: answer.body)
    let words = refusal?.message ?? String(decoding: answer.body.prefix(200), as: UTF8.self)
    switch status {
    case 400 where refusal?.error == "CursorTooOld":
      position.miss(.cursorTooOld)
      position.continueByTime()
      return []
    case 404, 405, 501:
      guard wire == .v2 else {
        throw StreamError(.notAStream, host: position.host, detail: "it answered \(status)")
      }
      wire = .v1
      return []
    case 408, 425, 429, 500...:
      let error = WebSocketError(.closed, detail: "it answered \(status)\(words.isEmpty ? "" : ": \(words)")")
      let limit = RateLimit(answer.head.headerFields, at: stream.time.instant)
      return [disconnect(error, after: limit?.retryAfter)]
    default:
      let name = refusal?.error.map { " \($0)" } ?? ""
      throw StreamError(
        .refused, host: position.host, detail: "\(status)\(name)\(words.isEmpty ? "" : ": \(words)")")
    }
  }

  private struct Refusal: Decodable {
    let error: String?
    let message: String?
  }
}

extension Jetstream {
  /// The first wait before another connection; it doubles with each that brings no event.
  static let firstWait = Duration.milliseconds(250)
  static let longestWait = Duration.seconds(30)
  /// The longest wait that a host may ask for.
  static let longestAskedWait = Duration.seconds(300)
  /// The longest message; those of the network are below 5 MB.
  static let messageBytes = 8 << 20
  /// How long nothing may arrive before a ping is sent, and how long its answer may take. Hosts send a ping of their own every
  /// 30 s.
  static let silence = Duration.seconds(60)
  static let patience = Duration.seconds(30)
  /// How many events in a row may be outside the filter.
  static let mostOutside = 100
  /// A time before this number is the number of an event: 2001-09-09 in microseconds.
  private static let firstTime: Int64 = 1_000_000_000_000_000

  fileprivate func request(
    _ wire: JetstreamConnection.Wire, from start: JetstreamPosition.Start, bounded isBounded: Bool
  ) -> TransportRequest {
    var query: [XRPCQueryItem] = []
    let names =
      switch wire {
      case .v1: (collections: "wantedCollections", accounts: "wantedDids")
      case .v2: (collections: "collections", accounts: "dids")
      }
    for collection in filter.collections { query.append(XRPCQueryItem(names.collections, collection)) }
    if filter.asksForAccounts {
      for account in filter.accounts.map(\.description).sorted() {
        query.append(XRPCQueryItem(names.accounts, account))
      }
    }
    let place: Int64? =
      switch start {
      case .now: nil
      case .sequence(let number): number
      case .time(let time): max(time.microsecondsSinceEpoch, Self.firstTime)
      }
    if let place { query.append(XRPCQueryItem("cursor", "\(place)")) }
    if isBounded { query.append(XRPCQueryItem("maxMessageSizeBytes", "\(Self.messageBytes)")) }
    let path =
      switch wire {
      case .v1: "/subscribe"
      case .v2: "/xrpc/network.bsky.jetstream.subscribeEvents"
      }
    let text = query.isEmpty ? "" : "?" + QueryString.encode(query)
    var head = HTTPRequest(
      method: .get, scheme: host.scheme, authority: host.authority, path: host.path + path + text)
    if wire == .v2 { head.headerFields[.secWebSocketProtocol] = "xrpc.v1.json" }
    return TransportRequest(head: head, limits: TransportRequest.Limits(total: .seconds(30)))
  }
}
