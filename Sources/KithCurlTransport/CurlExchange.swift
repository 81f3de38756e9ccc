// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
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
  /// The networks of this machine, which such an exchange must not connect to either.
  let connected: [IPNetwork]
  /// The name to look up before a proxy is used; nil if the connection itself is checked.
  let nameForProxy: String?
  /// The proxy to use; empty for none.
  let proxy: String
  let isPlain: Bool
  /// Whether HTTP/2 may be negotiated: only over TLS, and not with a host that the user did not name. Such a
  /// host is asked once, and HTTP/2 has frames without data, which libcurl reads without a pause.
  var mayUseHTTP2: Bool { isNamed && !isPlain }
  /// Set before the cancellation is posted, so an exchange that has not started yet never starts.
  let isCancelled = Atomic(false)

  /// Validates a request.
  ///
  /// - Parameter tunnels: whether a proxy passes on bytes instead of fetching a plain page.
  /// - Throws: ``TransportError`` with `invalidRequest` if it is not a valid web request, and with
  ///   `forbiddenAddress` if only hosts named by the user may be asked for it.
  init(
    _ request: TransportRequest, _ proxies: ProxyRules, _ network: HostNetwork = .system,
    tunnels: Bool = false
  ) throws(TransportError) {
    let target = try RequestTarget(request.head)
    isPlain = target.isPlain
    proxy = proxies.proxy(isPlain: isPlain, host: target.authority.host)
    isNamed = request.reach == .anywhere
    guard isNamed || target.authority.mayBePublic else {
      throw TransportError(.forbiddenAddress, host: target.host, detail: "its name is not public")
    }
    guard isNamed || (!isPlain && target.authority.hasPortOfHTTPS) else {
      throw TransportError(
        .forbiddenAddress, host: target.host, detail: "not \(target.scheme)://\(target.host)")
    }
    // The connection of a proxy cannot be checked here.
    mustBePublic = !isNamed && proxy.isEmpty
    nameForProxy = isNamed || proxy.isEmpty ? nil : target.authority.host
    connected = isNamed ? [] : network.connected()
    // Only a proxy that fetches a plain page needs the whole URL.
    let isForProxy = isPlain && !proxy.isEmpty && !tunnels
    url = "\(target.scheme)://\(target.host)\(isForProxy ? target.path : "/")"
    self.target = isForProxy ? nil : target.path
    host = target.host
    method = request.head.method
    body = request.body
    hasBody = body != nil || request.head.method == .post
    limits = request.limits
    fieldLines = Self.lines(request.head.headerFields, hasBody: hasBody)
  }

  /// Whether an exchange with a host that the user did not name may connect to an address.
  func allows(_ address: IPAddress) -> Bool {
    address.isPublic && !connected.contains { $0.contains(address) }
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

  /// Parses the head of a response.
  /// - Throws: ``TransportError`` with `malformedResponse`, and with `proxyRefused` if a proxy for plain
  ///   pages requires a password.
  func parseHead(_ bytes: [UInt8]) throws(TransportError) -> HTTPResponse {
    guard let head = HTTPResponse(head: bytes) else {
      throw TransportError(.malformedResponse, host: host, detail: "its head cannot be parsed")
    }
    guard head.hasReadableLength else {
      throw TransportError(.malformedResponse, host: host, detail: "its Content-Length is not a length")
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
