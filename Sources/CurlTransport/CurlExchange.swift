// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import HTTPTypes
import Synchronization

/// One request as libcurl takes it, checked and written out by the thread that asks.
///
/// A reference, because its identity is what a cancellation names.
final class CurlExchange: Sendable {
  let url: String
  /// The host as error texts name it.
  let host: String
  let method: HTTPRequest.Method
  /// Field lines in libcurl's notation, each ended by a NUL.
  let fieldLines: [CChar]
  let body: [UInt8]?
  /// Whether a length is announced, be it zero.
  let hasBody: Bool
  let limits: TransportRequest.Limits
  /// Whether the address connected to must be public.
  let mustBePublic: Bool
  let isProxied = false
  let isPlain: Bool
  /// Set before the cancellation reaches the mailbox, so that an exchange not yet started never starts.
  let isCancelled = Atomic(false)

  /// Checks a request.
  /// - Throws: ``TransportError`` with `invalidRequest` for what cannot be a request for a web server.
  init(_ request: TransportRequest) throws(TransportError) {
    let head = request.head
    let host = head.authority ?? ""
    func refuse(_ detail: String) -> TransportError {
      TransportError(.invalidRequest, host: host.isEmpty ? "(no host)" : host, detail: detail)
    }
    guard let scheme = head.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw refuse("the scheme is \(head.scheme ?? "missing"); only http and https can be asked")
    }
    // Whatever could make libcurl see another host than the caller did.
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !"/?#\\@".utf8.contains($0) })
    else { throw refuse("the authority must be a host, with or without a port") }
    let path = head.path ?? "/"
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw refuse("the path must start with a slash and be percent-encoded")
    }
    guard head.method != .connect else { throw refuse("CONNECT is the transport's own affair") }
    for name in [HTTPField.Name.contentLength, .transferEncoding] where head.headerFields.contains(name) {
      throw refuse("\(name) is set by the transport")
    }
    url = "\(scheme)://\(host)\(path)"
    self.host = host
    method = head.method
    isPlain = scheme == "http"
    body = request.body
    limits = request.limits
    mustBePublic = request.reach == .publicOnly
    hasBody = body != nil || head.method == .post
    fieldLines = Self.lines(head.headerFields, hasBody: hasBody)
  }

  /// `Name: value`; `Name;` for an empty value; `Name:` keeps libcurl from sending a field of its own.
  private static func lines(_ fields: HTTPFields, hasBody: Bool) -> [CChar] {
    var lines: [CChar] = []
    func append(_ parts: String...) {
      for part in parts { lines.append(contentsOf: part.utf8.lazy.map(CChar.init(bitPattern:))) }
      lines.append(0)
    }
    for field in fields {
      let value = field.value
      if value.isEmpty { append(field.name.rawName, ";") } else { append(field.name.rawName, ": ", value) }
    }
    if hasBody {
      append("Expect:")
      if !fields.contains(.contentType) { append("Content-Type:") }
    }
    return lines
  }
}
