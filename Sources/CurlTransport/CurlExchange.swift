// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import HTTPTypes
import Synchronization

/// One request as libcurl takes it, checked and written out by the thread that asks.
///
/// A reference, because its identity is what a cancellation names.
final class CurlExchange: Sendable {
  /// Where to connect to; the whole address for a proxy that fetches the page itself.
  let url: String
  /// What is asked for there, path and query, where that is not in ``url``.
  ///
  /// libcurl takes an address apart and puts it together again several times, byte by byte: with thirty DIDs in it
  /// that is most of what a call costs. The target it sends as it is.
  let target: String?
  /// The host as error texts name it.
  let host: String
  let method: HTTPRequest.Method
  /// Field lines in libcurl's notation, each ended by a NUL.
  let fieldLines: [CChar]
  let body: [UInt8]?
  /// Whether a length is announced, be it zero.
  let hasBody: Bool
  let limits: TransportRequest.Limits
  /// Whether the user named the host, so that it may be anywhere, and may know who asks.
  let isNamed: Bool
  /// Whether the address connected to must be public.
  let mustBePublic: Bool
  /// The addresses of this machine, which such an exchange does not connect to either.
  let ownAddresses: Set<IPAddress>
  /// The name to look up before a proxy is asked for it; nil where the connection itself is looked at.
  let nameForProxy: String?
  /// The proxy to go through, empty for none.
  let proxy: String
  let isPlain: Bool
  /// Set before the cancellation reaches the mailbox, so that an exchange not yet started never starts.
  let isCancelled = Atomic(false)

  /// Checks a request.
  /// - Throws: ``TransportError`` with `invalidRequest` for what cannot be a request for a web server, and
  ///   with `forbiddenAddress` for what only a host that the user named may be asked for.
  init(
    _ request: TransportRequest, _ proxies: ProxyRules, _ network: HostNetwork = .system
  ) throws(TransportError) {
    let head = request.head
    let host = head.authority ?? ""
    func refuse(_ detail: String, _ code: TransportError.Code = .invalidRequest) -> TransportError {
      TransportError(code, host: host.isEmpty ? "(no host)" : host, detail: detail)
    }
    guard let scheme = head.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw refuse("the scheme is \(head.scheme ?? "missing"); only http and https can be asked")
    }
    guard let authority = Authority(host) else {
      throw refuse("the authority must be a host, with or without a port")
    }
    guard let path = Self.target(head.path ?? "/") else {
      throw refuse("the path must start with a slash and be percent-encoded")
    }
    guard head.method != .connect else { throw refuse("CONNECT is the transport's own affair") }
    for name in [HTTPField.Name.contentLength, .transferEncoding] where head.headerFields.contains(name) {
      throw refuse("\(name) is set by the transport")
    }
    isPlain = scheme == "http"
    proxy = proxies.proxy(isPlain: isPlain, host: authority.host)
    isNamed = request.reach == .anywhere
    guard isNamed || authority.mayBePublic else {
      throw refuse("its name is not a public one", .forbiddenAddress)
    }
    guard isNamed || (scheme == "https" && authority.hasPortOfHTTPS) else {
      throw refuse("not \(scheme)://\(host)", .forbiddenAddress)
    }
    // A proxy connects where we cannot look.
    mustBePublic = !isNamed && proxy.isEmpty
    nameForProxy = isNamed || proxy.isEmpty ? nil : authority.host
    ownAddresses = isNamed ? [] : network.ownAddresses()
    // Only a proxy that is asked for a plain page has to read the address.
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

  /// Looks up the name before a proxy is asked for it.
  ///
  /// A name that has no address here is left to the proxy: there are networks in which nobody else resolves names.
  /// - Throws: ``TransportError`` with `forbiddenAddress`; `CancellationError`.
  func checkName(_ network: HostNetwork) async throws {
    guard let nameForProxy else { return }
    for address in try await network.addresses(nameForProxy) where !allows(address) {
      throw TransportError(.forbiddenAddress, host: host, detail: "\(address)")
    }
  }

  /// What is sent of a path: all of it but a fragment, which is nobody else's business. Nil for one that cannot
  /// be sent.
  private static func target(_ path: String) -> String? {
    var path = path
    let fragment = path.withUTF8 { bytes -> Int? in
      guard bytes.first == UInt8(ascii: "/") else { return nil }
      // Without a branch for each byte, so that the compiler takes many at once.
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

  /// Parses the head of an answer.
  /// - Throws: ``TransportError`` with `malformedResponse`, and with `proxyRefused` where the proxy that is
  ///   asked for a plain page wants a password first.
  func parseHead(_ bytes: [UInt8]) throws(TransportError) -> HTTPResponse {
    guard let head = HTTPResponse(head: bytes) else {
      throw TransportError(.malformedResponse, host: host, detail: "its head cannot be parsed")
    }
    if head.status.code == 407, isPlain, !proxy.isEmpty {
      throw TransportError(proxyStatus: 407, for: self)
    }
    return head
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

extension UInt8 {
  /// The high bit where it is below a limit of at most 0x80, else zero.
  fileprivate func below(_ limit: UInt8) -> UInt8 { (self &- limit) & ~self & 0x80 }
}
