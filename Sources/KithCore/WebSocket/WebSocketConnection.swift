// SPDX-License-Identifier: Apache-2.0

/// One side of an open WebSocket: whole messages in both directions.
///
/// Pings are answered without a call of ``next()``. Releasing the connection closes it.
///
/// Specification: RFC 6455.
public protocol WebSocketConnection: AnyObject, Sendable {
  /// Waits for the next message; nil after both sides closed the connection normally (1000).
  ///
  /// Called by one task at a time. Cancelling the task closes the connection.
  /// - Throws: ``WebSocketError`` for any other end; the error of the transport if the connection broke;
  ///   `CancellationError` when cancelled.
  func next() async throws -> WebSocketMessage?

  /// Waits for a message, and takes with it those that are there already; none after both sides closed normally.
  ///
  /// Otherwise as ``next()``.
  func next(atMost most: Int) async throws -> [WebSocketMessage]

  /// Sends a message.
  ///
  /// - Throws: ``WebSocketError`` with `closed` if the connection has ended; the error of the transport.
  func send(_ message: WebSocketMessage) async throws

  /// Sends a ping. Its answer shows in ``bytesReceived``.
  ///
  /// - Throws: as ``send(_:)``.
  func ping() async throws

  /// How many bytes have arrived, control frames included: if it stays the same, the other side is silent.
  var bytesReceived: Int { get }

  /// Closes the connection with a code and a reason of at most 123 bytes, and waits until what was sent before is sent. Does
  /// nothing if it has ended.
  func close(_ code: WebSocketCloseCode, _ reason: String) async

  /// Ends the connection at once, without a close frame: what waits can still be read, and then the connection is
  /// `abandoned`.
  func drop()
}

extension WebSocketConnection {
  /// Takes one message.
  public func next(atMost most: Int) async throws -> [WebSocketMessage] {
    try await next().map { [$0] } ?? []
  }

  /// Closes the connection normally.
  public func close() async { await close(.normal, "") }
}

/// A message of a WebSocket.
public struct WebSocketMessage: Sendable, Hashable {
  /// Whether it is text; its bytes are valid UTF-8 then.
  public let isText: Bool
  /// The content.
  public let bytes: [UInt8]

  /// A text message.
  public static func text(_ text: some StringProtocol) -> WebSocketMessage {
    WebSocketMessage(isText: true, bytes: Array(text.utf8))
  }

  /// A binary message.
  public static func binary(_ bytes: [UInt8]) -> WebSocketMessage {
    WebSocketMessage(isText: false, bytes: bytes)
  }

  init(isText: Bool, bytes: [UInt8]) { (self.isText, self.bytes) = (isText, bytes) }
}

/// Why a side closed a WebSocket. The set is open: applications use 3000 to 4999.
///
/// Specification: RFC 6455, section 7.4.
public struct WebSocketCloseCode: Sendable, Hashable, CustomStringConvertible {
  /// The number in the frame.
  public let number: UInt16

  /// Creates a code.
  public init(_ number: UInt16) { self.number = number }

  /// It is done.
  public static let normal = WebSocketCloseCode(1000)
  /// The server shuts down, or the page is left.
  public static let goingAway = WebSocketCloseCode(1001)
  /// A frame violates the protocol.
  public static let protocolError = WebSocketCloseCode(1002)
  /// A kind of data that is not accepted.
  public static let unsupportedData = WebSocketCloseCode(1003)
  /// The frame had no code; never sent.
  public static let noStatus = WebSocketCloseCode(1005)
  /// A text is not UTF-8.
  public static let invalidText = WebSocketCloseCode(1007)
  /// The message violates a rule of the other side.
  public static let policyViolation = WebSocketCloseCode(1008)
  /// The message is too large.
  public static let messageTooLarge = WebSocketCloseCode(1009)
  /// An unexpected condition at the server.
  public static let internalError = WebSocketCloseCode(1011)

  /// Whether a frame may carry it.
  var mayBeSent: Bool {
    switch number {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  public var description: String { "\(number)" }
}

/// The bounds of a WebSocket.
public struct WebSocketLimits: Sendable, Hashable {
  /// The longest message in bytes; a longer one ends the connection with `messageTooLarge`.
  public var messageBytes: Int
  /// How many bytes of messages may wait for their reader; more end the connection with `tooSlow`. One message always may.
  public var waitingBytes: Int
  /// How many messages may wait for their reader; more end the connection with `tooSlow`.
  public var waitingMessages: Int

  /// Creates limits; the defaults suit streams of a network.
  public init(messageBytes: Int = 16 << 20, waitingBytes: Int = 8 << 20, waitingMessages: Int = 4_096) {
    self.messageBytes = messageBytes
    self.waitingBytes = waitingBytes
    self.waitingMessages = waitingMessages
  }
}

/// How a WebSocket ended, other than normally or by its transport.
public struct WebSocketError: CodedError {
  public static let domain = "webSocket"

  /// The kind of failure.
  public let code: Code
  /// The code of the other side's close frame; nil if it sent none.
  public let closeCode: WebSocketCloseCode?
  private let words: String

  /// Creates an error; parameters are the properties.
  public init(_ code: Code, closeCode: WebSocketCloseCode? = nil, detail: String = "") {
    self.code = code
    self.closeCode = closeCode
    words = detail
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case closed, abandoned, protocolViolation, messageTooLarge, tooSlow
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it appears in machine-readable output.
    public var description: String { kind.rawValue }

    /// The other side closed it, or this side did before.
    public static let closed = Code(.closed)
    /// The connection ended without a close frame (1006).
    public static let abandoned = Code(.abandoned)
    /// The other side violated the protocol.
    public static let protocolViolation = Code(.protocolViolation)
    /// A message exceeded ``WebSocketLimits/messageBytes``.
    public static let messageTooLarge = Code(.messageTooLarge)
    /// More waited for the reader than the limits allow.
    public static let tooSlow = Code(.tooSlow)
  }

  public var isTransient: Bool { code != .messageTooLarge && code != .protocolViolation }

  /// What happened; it may contain the other side's words, not cleaned for a terminal.
  public var detail: String {
    let what =
      switch code {
      case .closed:
        closeCode.map { "the connection was closed with code \($0)" } ?? "the connection is closed"
      case .abandoned: "the connection ended without a close frame"
      case .protocolViolation: "the other side violated the WebSocket protocol"
      case .messageTooLarge: "a message is too large"
      default: "messages were not read fast enough"
      }
    return what + (words.isEmpty ? "" : " (\(words))")
  }

  public var errorDescription: String? {
    switch code {
    case .closed, .abandoned: "The live connection to the server ended."
    case .tooSlow: "The live connection delivered more than could be processed."
    default: "The live connection sent something that could not be read."
    }
  }
}
