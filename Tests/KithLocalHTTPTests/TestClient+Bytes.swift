// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore

extension TestClient {
  /// Writes a request for a WebSocket, and what follows it.
  func askForWebSocket(_ fields: String = "", followedBy bytes: [UInt8] = []) {
    write(Array(Self.upgrade(fields).utf8) + bytes)
  }

  /// A request with the key of the example in RFC 6455, section 1.3.
  static func upgrade(_ fields: String = "") -> String {
    """
    GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(fields)\r\n
    """
  }

  /// The connection after the handshake, for a ``FramedWebSocket``.
  var channel: TestChannel { TestChannel(self) }
}

/// The client as a channel.
final class TestChannel: ByteChannel {
  private let client: TestClient

  init(_ client: TestClient) { self.client = client }

  func read() async throws -> [UInt8]? { await client.readSome() }
  func write(_ bytes: [UInt8]) async throws { client.write(bytes) }
  func close() { client.shutDown() }
}
