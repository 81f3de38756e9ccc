// SPDX-License-Identifier: Apache-2.0

/// Reads the frames of the other side and puts messages together. A plain state machine without I/O.
///
/// Specification: RFC 6455, sections 5 and 8.1. Extensions are not offered, so reserved bits are violations.
package struct WebSocketDecoder {
  /// What arrived.
  package enum Event: Hashable {
    case message(WebSocketMessage)
    case ping([UInt8])
    case pong([UInt8])
    /// The last event: the code, ``WebSocketCloseCode/noStatus`` without one, and the reason.
    case close(WebSocketCloseCode, String)
  }

  /// What the other side did wrong, with the code to close the connection with.
  package struct Violation: Error, Hashable {
    package let code: WebSocketCloseCode
    package let words: String
  }

  private struct Header {
    let opcode: WebSocketOpcode
    let isFinal: Bool
    let length: Int
    let key: [UInt8]?
    /// The size of the header itself.
    let size: Int
  }

  private let role: WebSocketRole
  private let messageBytes: Int
  /// What arrived and is not read yet begins at ``place``.
  private var waiting: [UInt8] = []
  private var place = 0
  /// The header of the frame whose payload is awaited.
  private var header: Header?
  /// The message whose fragments arrive.
  private var opcode: WebSocketOpcode?
  private var message: [UInt8] = []
  private var text = UTF8Check()

  /// - Parameters:
  ///   - role: the side that reads, which decides whether frames have to be masked.
  ///   - messageBytes: the longest message.
  package init(_ role: WebSocketRole, messageBytes: Int) {
    self.role = role
    self.messageBytes = messageBytes
  }

  /// Adds bytes of the connection.
  package mutating func receive(_ bytes: [UInt8]) {
    if place == waiting.count {
      waiting = bytes
    } else {
      waiting.removeFirst(place)
      waiting.append(contentsOf: bytes)
    }
    place = 0
  }

  /// Returns what arrived next; nil until more bytes come.
  ///
  /// - Throws: ``Violation``; nothing may be read after it.
  package mutating func next() throws(Violation) -> Event? {
    while let frame = try nextFrame() {
      if let event = try take(frame.header, frame.payload) { return event }
    }
    return nil
  }

  // MARK: - Frames

  private mutating func nextFrame() throws(Violation) -> (header: Header, payload: [UInt8])? {
    if header == nil {
      guard let read = try readHeader() else { return nil }
      place += read.size
      header = read
    }
    guard let found = header, waiting.count - place >= found.length else { return nil }
    var payload = Array(waiting[place..<place + found.length])
    place += found.length
    header = nil
    if let key = found.key { WebSocketMask.apply(key, to: &payload, from: 0) }
    return (found, payload)
  }

  private func readHeader() throws(Violation) -> Header? {
    let rest = waiting.count - place
    guard rest >= 2 else { return nil }
    let (first, second) = (waiting[place], waiting[place + 1])
    guard first & 0x70 == 0 else { throw .violates("a reserved bit is set") }
    guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
      throw .violates("unknown opcode \(first & 0x0F)")
    }
    let isFinal = first & 0x80 != 0
    let isMasked = second & 0x80 != 0
    guard isMasked == (role == .server) else {
      throw .violates(isMasked ? "a server masked a frame" : "a client did not mask a frame")
    }
    let short = Int(second & 0x7F)
    if opcode.isControl {
      guard isFinal else { throw .violates("a control frame is fragmented") }
      guard short < 126 else { throw .violates("a control frame is longer than 125 bytes") }
    } else if opcode == .continuation {
      guard self.opcode != nil else { throw .violates("a continuation without a beginning") }
    } else if self.opcode != nil {
      throw .violates("a new message within a fragmented one")
    }
    let lengthSize = short == 126 ? 2 : short == 127 ? 8 : 0
    let size = 2 + lengthSize + (isMasked ? 4 : 0)
    guard rest >= size else { return nil }
    var length = UInt64(short)
    if lengthSize > 0 {
      length = waiting[place + 2..<place + 2 + lengthSize].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard length >> 63 == 0 else { throw .violates("a length with its highest bit set") }
    let most = opcode.isControl ? 125 : messageBytes - message.count
    guard length <= UInt64(max(0, most)) else {
      throw Violation(code: .messageTooLarge, words: "more than \(messageBytes) bytes")
    }
    let key = isMasked ? Array(waiting[place + size - 4..<place + size]) : nil
    return Header(opcode: opcode, isFinal: isFinal, length: Int(length), key: key, size: size)
  }

  // MARK: - Messages

  private mutating func take(_ header: Header, _ payload: [UInt8]) throws(Violation) -> Event? {
    switch header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    case .close: return try close(payload)
    case .text, .binary:
      opcode = header.opcode
      text = UTF8Check()
      message = payload
    case .continuation: message.append(contentsOf: payload)
    }
    if opcode == .text {
      guard text.accepts(payload), !header.isFinal || text.isComplete else {
        throw Violation(code: .invalidText, words: "a text is not UTF-8")
      }
    }
    guard header.isFinal else { return nil }
    defer { (message, opcode) = ([], nil) }
    return .message(WebSocketMessage(isText: opcode == .text, bytes: message))
  }

  private func close(_ payload: [UInt8]) throws(Violation) -> Event {
    guard !payload.isEmpty else { return .close(.noStatus, "") }
    guard payload.count >= 2 else { throw .violates("a close frame with half a code") }
    let code = WebSocketCloseCode(UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.mayBeSent else { throw .violates("close code \(code)") }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
      throw Violation(code: .invalidText, words: "a reason is not UTF-8")
    }
    return .close(code, reason)
  }
}

extension WebSocketDecoder.Violation {
  fileprivate static func violates(_ words: String) -> Self { Self(code: .protocolError, words: words) }
}

/// Checks that bytes are UTF-8, piece by piece.
///
/// Specification: RFC 3629, section 4.
struct UTF8Check {
  /// How many bytes of the scalar are still to come.
  private var missing = 0
  /// What the next byte may be.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the bytes so far end with a whole scalar.
  var isComplete: Bool { missing == 0 }

  /// Whether the bytes so far and these are the beginning of a text.
  mutating func accepts(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { raw in
      var place = 0
      while place < raw.count {
        if missing == 0 {
          while place + 8 <= raw.count,
            raw.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
          {
            place += 8
          }
          guard place < raw.count else { break }
          guard begin(raw[place]) else { return false }
        } else {
          guard allowed.contains(raw[place]) else { return false }
          missing -= 1
          allowed = 0x80...0xBF
        }
        place += 1
      }
      return true
    }
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case ..<0x80: return true
    case 0xC2...0xDF: (missing, allowed) = (1, 0x80...0xBF)
    case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
    case 0xED: (missing, allowed) = (2, 0x80...0x9F)
    case 0xE1...0xEF: (missing, allowed) = (2, 0x80...0xBF)
    case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
    case 0xF1...0xF3: (missing, allowed) = (3, 0x80...0xBF)
    case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
    default: return false
    }
    return true
  }
}
