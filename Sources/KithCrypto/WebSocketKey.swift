// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The key of a WebSocket's handshake, and the answer that shows that a server speaks the protocol.
///
/// Specification: RFC 6455, section 4.
package enum WebSocketKey {
  /// A new key: 16 random bytes in base64.
  package static func random() -> String {
    Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
  }

  /// The value of `Sec-WebSocket-Accept` for a key.
  package static func accept(_ key: String) -> String {
    Data(SHA1.hash(of: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))).base64EncodedString()
  }
}
