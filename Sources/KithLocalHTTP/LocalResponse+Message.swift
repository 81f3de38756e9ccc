// SPDX-License-Identifier: Apache-2.0

internal import KithLocalMessages

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension LocalResponse {
  /// The response in the wire format of HTTP/1.1.
  struct Message {
    let head: Data
    let body: Data

    init(_ response: LocalResponse, to request: LocalRequest) {
      var lines = "HTTP/1.1 \(response.status) \(Self.reason(response.status))\r\n"
      if let type = response.contentType { lines += "Content-Type: \(type)\r\n" }
      switch response.delivery {
      case .webSocket: break
      // Without this, the body ends with the connection.
      case .streamed: if request.keepsAlive { lines += "Transfer-Encoding: chunked\r\n" }
      default: lines += "Content-Length: \(response.body.count)\r\n"
      }
      // A line break would begin another field.
      for field in response.fields where field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) {
        lines += "\(field.name): \(field.value)\r\n"
      }
      if !request.keepsAlive { lines += "Connection: close\r\n" }
      head = Data((lines + "\r\n").utf8)
      body = request.method == "HEAD" ? Data() : Data(response.body)
    }

    var bytes: Data { head + body }

    /// The part that is sent before the connection breaks: half of the body, or half of the head without a
    /// body.
    var half: Data { body.isEmpty ? head.prefix(head.count / 2) : head + body.prefix(body.count / 2) }

    private static func reason(_ status: Int) -> String {
      switch status {
      case 101: "Switching Protocols"
      case 200: "OK"
      case 202: "Accepted"
      case 204: "No Content"
      case 303: "See Other"
      case 400: "Bad Request"
      case 401: "Unauthorized"
      case 403: "Forbidden"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 409: "Conflict"
      case 410: "Gone"
      case 411: "Length Required"
      case 413: "Content Too Large"
      case 421: "Misdirected Request"
      case 426: "Upgrade Required"
      case 429: "Too Many Requests"
      case 431: "Request Header Fields Too Large"
      case 501: "Not Implemented"
      case 502: "Bad Gateway"
      case 503: "Service Unavailable"
      default: "Internal Server Error"
      }
    }
  }
}
