// SPDX-License-Identifier: Apache-2.0

internal import KithCrypto
internal import KithLocalMessages

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The server's side of the opening handshake of a WebSocket.
///
/// Specification: RFC 6455, section 4.2.
enum WebSocketHandshake {
  /// The answer that opens a WebSocket, or the one that tells the client what is wrong with its request.
  ///
  /// - Parameter response: the answer to open it with.
  static func answer(
    _ response: LocalResponse, to request: LocalRequest, subprotocol: String?
  ) -> LocalResponse {
    guard request.method == "GET", request.body.isEmpty else {
      return refusal(405, "a WebSocket is opened with GET", [HeaderField(name: "Allow", value: "GET")])
    }
    // A connection that does not stay open has another version of HTTP, or asks to be closed.
    guard request.keepsAlive, request.lists("upgrade", in: "connection"),
      request.lists("websocket", in: "upgrade")
    else {
      return refusal(
        426, "this address speaks WebSocket",
        [HeaderField(name: "Upgrade", value: "websocket"), HeaderField(name: "Connection", value: "Upgrade")])
    }
    guard request["sec-websocket-version"] == "13" else {
      return refusal(
        426, "only version 13 of WebSocket is spoken",
        [HeaderField(name: "Sec-WebSocket-Version", value: "13")])
    }
    guard let key = request["sec-websocket-key"], Data(base64Encoded: key)?.count == 16 else {
      return refusal(400, "Sec-WebSocket-Key is not the base64 of 16 bytes", [])
    }
    var answer = response
    answer.fields += [
      HeaderField(name: "Upgrade", value: "websocket"), HeaderField(name: "Connection", value: "Upgrade"),
      HeaderField(name: "Sec-WebSocket-Accept", value: WebSocketKey.accept(key)),
    ]
    if let subprotocol {
      answer.fields.append(HeaderField(name: "Sec-WebSocket-Protocol", value: subprotocol))
    }
    return answer
  }

  private static func refusal(_ status: Int, _ reason: String, _ fields: [HeaderField]) -> LocalResponse {
    var response = RequestFault(status: status, reason: reason).response
    response.fields = fields
    return response
  }
}

extension LocalRequest {
  /// Whether a field with a list of names has this one, in lower case.
  fileprivate func lists(_ name: String, in field: String) -> Bool {
    fields.contains {
      $0.name.lowercased() == field && $0.value.lowercased().split { ", \t".contains($0) }.contains(name[...])
    }
  }
}
