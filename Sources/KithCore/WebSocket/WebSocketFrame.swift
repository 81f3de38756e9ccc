// SPDX-License-Identifier: Apache-2.0

/// The kinds of frames.
///
/// Specification: RFC 6455, section 5.2.
package enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  var isControl: Bool { rawValue >= 8 }
}

/// Which side of a connection one is: a client masks its frames, a server does not.
package enum WebSocketRole: Sendable {
  case client
  case server
}

/// Writes frames.
package enum WebSocketFrame {
  /// The bytes of a frame.
  ///
  /// - Parameters:
  ///   - isFinal: false for a fragment that others follow.
  ///   - mask: the key that a client masks the payload with, new for each frame; nil for a server.
  package static func bytes(
    _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, mask: UInt32?
  ) -> [UInt8] {
    let count = payload.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 14)
    bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    switch count {
    case ..<126: bytes.append(maskBit | UInt8(count))
    case ...0xFFFF:
      bytes.append(maskBit | 126)
      withUnsafeBytes(of: UInt16(count).bigEndian) { bytes.append(contentsOf: $0) }
    default:
      bytes.append(maskBit | 127)
      withUnsafeBytes(of: UInt64(count).bigEndian) { bytes.append(contentsOf: $0) }
    }
    guard let mask else { return bytes + payload }
    let key = mask.bigEndianBytes
    bytes.append(contentsOf: key)
    let start = bytes.count
    bytes.append(contentsOf: payload)
    WebSocketMask.apply(key, to: &bytes, from: start)
    return bytes
  }

  /// The payload of a close frame.
  package static func closePayload(_ code: WebSocketCloseCode, _ reason: String) -> [UInt8] {
    // What is cut must not end within a character.
    var words = reason[...]
    while words.utf8.count > 123 { words.removeLast() }
    return [UInt8(code.number >> 8), UInt8(truncatingIfNeeded: code.number)] + words.utf8
  }
}

/// Masks payloads: the exclusive or with a key of four bytes.
enum WebSocketMask {
  /// Masks, or unmasks, everything from an index on.
  static func apply(_ key: [UInt8], to bytes: inout [UInt8], from start: Int) {
    let word = UInt64(0).merging(key)
    bytes.withUnsafeMutableBytes { all in
      let part = UnsafeMutableRawBufferPointer(rebasing: all[start...])
      var place = 0
      while place + 8 <= part.count {
        let value = part.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ word
        part.storeBytes(of: value, toByteOffset: place, as: UInt64.self)
        place += 8
      }
      while place < part.count {
        part[place] ^= key[place & 3]
        place += 1
      }
    }
  }
}

extension UInt64 {
  /// The four bytes of a key, twice, in the order of memory.
  fileprivate func merging(_ key: [UInt8]) -> UInt64 {
    var word = self
    withUnsafeMutableBytes(of: &word) { for place in $0.indices { $0[place] = key[place & 3] } }
    return word
  }
}

extension UInt32 {
  /// The bytes, the most significant first.
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
