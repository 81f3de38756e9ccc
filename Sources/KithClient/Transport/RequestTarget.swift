// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The validated destination of a request: what every transport checks before it connects.
package struct RequestTarget: Sendable {
  /// `http` or `https`.
  package let scheme: String
  /// The authority as written.
  package let host: String
  /// The parsed authority.
  package let authority: Authority
  /// The path and query that are sent: everything but a fragment.
  package let path: String

  /// Whether the request is sent without TLS.
  package var isPlain: Bool { scheme == "http" }

  /// Validates a request.
  /// - Throws: ``TransportError`` with `invalidRequest` if it is not a valid web request.
  package init(_ head: HTTPRequest) throws(TransportError) {
    let host = head.authority ?? ""
    func refuse(_ detail: String) -> TransportError {
      TransportError(.invalidRequest, host: host.isEmpty ? "(no host)" : host, detail: detail)
    }
    guard let scheme = head.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw refuse("the scheme is \(head.scheme ?? "missing"); only http and https are supported")
    }
    guard let authority = Authority(host) else {
      throw refuse("the authority must be a host, with or without a port")
    }
    guard let path = Self.target(head.path ?? "/") else {
      throw refuse("the path must start with a slash and be percent-encoded")
    }
    guard head.method != .connect else { throw refuse("CONNECT is not allowed") }
    for name in [HTTPField.Name.contentLength, .transferEncoding] where head.headerFields.contains(name) {
      throw refuse("\(name) is set by the transport")
    }
    self.scheme = scheme
    self.host = host
    self.authority = authority
    self.path = path
  }

  /// Returns the part of a path that is sent: everything but a fragment. Nil if it cannot be sent.
  private static func target(_ path: String) -> String? {
    var path = path
    let fragment = path.withUTF8 { bytes -> Int? in
      guard bytes.first == UInt8(ascii: "/") else { return nil }
      // Branch-free, so that the compiler can vectorize it.
      var (unfit, marks): (UInt8, UInt8) = (0, 0)
      for byte in bytes {
        unfit |= byte.below(0x21) | (byte ^ 0x7F).below(1)
        marks |= (byte ^ UInt8(ascii: "#")).below(1)
      }
      if unfit != 0 { return nil }
      return marks == 0 ? bytes.count : bytes.firstIndex(of: UInt8(ascii: "#"))
    }
    guard let fragment else { return nil }
    return fragment == path.utf8.count ? path : String(path.utf8.prefix(fragment))
  }
}

extension UInt8 {
  /// The high bit if the byte is below a limit of at most 0x80, else zero.
  fileprivate func below(_ limit: UInt8) -> UInt8 { (self &- limit) & ~self & 0x80 }
}
