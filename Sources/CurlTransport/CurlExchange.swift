// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import HTTPTypes
import Synchronization

/// One request in the form that libcurl takes, validated and converted by the caller's thread.
///
/// A class, because a cancellation refers to it by identity.
final class CurlExchange: Sendable {
  /// Where to connect to; the whole URL if a proxy fetches the page itself.
  let url: String
  /// The path and query, unless they are in ``url``.
  ///
  /// libcurl parses and rebuilds a URL several times, byte by byte, which is most of the cost of a call with
  /// thirty DIDs. It sends the target unchanged.
  let target: String?
  /// The host as it appears in error texts.
  let host: String
  let method: HTTPRequest.Method
  /// The field lines in libcurl's notation, each terminated by a NUL.
  let fieldLines: [CChar]
  let body: [UInt8]?
  /// Whether a length is sent, even if it is zero.
  let hasBody: Bool
  let limits: TransportRequest.Limits
  /// Whether the user named the host, which may then be anywhere, and may see the contact address.
  let isNamed: Bool
  /// Whether the connection must lead to a public address.
  let mustBePublic: Bool
  /// The addresses of this machine, which such an exchange must not connect to either.
  let ownAddresses: Set<IPAddress>
  /// The name to look up before a proxy is used; nil if the connection itself is checked.
  let nameForProxy: String?
  /// The proxy to use; empty for none.
  let proxy: String
  let isPlain: Bool
  /// Set before the cancellation is posted, so an exchange that has not started yet never starts.
  let isCancelled = Atomic(false)

  /// Validates a request.
  /// - Throws: ``TransportError`` with `invalidRequest` if it is not a valid web request, and with
  ///   `forbiddenAddress` if only hosts named by the user may be asked for it.
  init(
    _ request: TransportRequest, _ proxies: ProxyRules, _ network: HostNetwork = .system
  ) throws(TransportError) {
    let head = request.head
    let host = head.authority ?? ""
    func refuse(_ detail: String, _ code: TransportError.Code = .invalidRequest) -> TransportError {
      TransportError(code, host: host.isEmpty ? "(no host)" : host, detail: detail)
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
    isPlain = scheme == "http"
    proxy = proxies.proxy(isPlain: isPlain, host: authority.host)
    isNamed = request.reach == .anywhere
    guard isNamed || authority.mayBePublic else {
      throw refuse("its name is not public", .forbiddenAddress)
    }
    guard isNamed || (scheme == "https" && authority.hasPortOfHTTPS) else {
      throw refuse("not \(scheme)://\(host)", .forbiddenAddress)
    }
    // The connection of a proxy cannot be checked here.
    mustBePublic = !isNamed && proxy.isEmpty
    nameForProxy = isNamed || proxy.isEmpty ? nil : authority.host
    ownAddresses = isNamed ? [] : network.ownAddresses()
    // Only a proxy that fetches a plain page needs the whole URL.
    let isForProxy = isPlain && !proxy.isEmpty
    url = "\(scheme)://\(host)\(isForProxy ? path : "/")"
    target = isForProxy ? nil : path
    self.host = host
    method = head.method
    body = request.body
    hasBody = body != nil || head.method == .post
    limits = request.limits
    fieldLines = Self.lines(head.headerFields, hasBody: hasBody)
  }

  /// Whether an exchange with a host that the user did not name may connect to an address.
  func allows(_ address: IPAddress) -> Bool {
    address.isPublic && !ownAddresses.contains(address) && !ownAddresses.contains(address.embedded)
  }

  /// Checks the addresses of the name before a proxy is used.
  ///
  /// A name without an address here is left to the proxy: in some networks only the proxy resolves names.
  /// - Throws: ``TransportError`` with `forbiddenAddress`; `CancellationError`.
  func checkName(_ network: HostNetwork) async throws {
    guard let nameForProxy else { return }
    for address in try await network.addresses(nameForProxy) where !allows(address) {
      throw TransportError(.forbiddenAddress, host: host, detail: "\(address)")
    }
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

  /// Parses the head of a response.
  /// - Throws: ``TransportError`` with `malformedResponse`, and with `proxyRefused` if a proxy for plain
  ///   pages requires a password.
  func parseHead(_ bytes: [UInt8]) throws(TransportError) -> HTTPResponse {
    guard let head = HTTPResponse(head: bytes) else {
      throw TransportError(.malformedResponse, host: host, detail: "its head cannot be parsed")
    }
    if head.status.code == 407, isPlain, !proxy.isEmpty {
      throw TransportError(proxyStatus: 407, for: self)
    }
    return head
  }

  /// `Name: value`; `Name;` for an empty value; `Name:` suppresses a field that libcurl would add.
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

extension UInt8 {
  /// The high bit if the byte is below a limit of at most 0x80, else zero.
  fileprivate func below(_ limit: UInt8) -> UInt8 { (self &- limit) & ~self & 0x80 }
}
