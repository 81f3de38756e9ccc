// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// An answer in the wire format of HTTP/1.1.
struct HTTPMessage {
  let head: Data
  let body: Data

  init(_ answer: SandboxAnswer, to request: HTTPRequest) {
    var lines = "HTTP/1.1 \(answer.status) \(Self.reason(answer.status))\r\n"
    if let type = answer.contentType { lines += "Content-Type: \(type)\r\n" }
    lines += "Content-Length: \(answer.body.count)\r\n"
    for field in answer.fields { lines += "\(field.name): \(field.value)\r\n" }
    if !request.keepsAlive { lines += "Connection: close\r\n" }
    head = Data((lines + "\r\n").utf8)
    body = request.method == "HEAD" ? Data() : Data(answer.body)
  }

  var bytes: Data { head + body }

  /// The part that is sent before the connection breaks: half of the body, or half of the head without a
  /// body.
  var half: Data { body.isEmpty ? head.prefix(head.count / 2) : head + body.prefix(body.count / 2) }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 404: "Not Found"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    default: "Internal Server Error"
    }
  }
}
