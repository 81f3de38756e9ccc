// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Decides which proxy, if any, an exchange uses.
///
/// Decided here and not by libcurl, because the transport has to know whether it connects to the proxy or to
/// the server. The variables have the same meaning as for libcurl:
/// <https://everything.curl.dev/usingcurl/proxies/env.html>
struct ProxyRules: Hashable {
  private var http: String?
  private var https: String?
  private var exceptions: [String]

  init(_ choice: CurlTransport.Configuration.Proxy) {
    switch choice {
    case .none: self.init { _ in nil }
    case .environment: self.init { name in getenv(name).map { String(cString: $0) } }
    case .url(let url, let exceptions):
      self.init { _ in nil }
      http = url
      https = url
      self.exceptions = exceptions
    }
  }

  /// Reads the usual variables: `http_proxy` (in lower case only, because a client can set `HTTP_PROXY` of a
  /// CGI program), `https_proxy`, `all_proxy` and `no_proxy`.
  init(environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name) ?? environment(name.uppercased()) }
    http = environment("http_proxy") ?? value("all_proxy")
    https = value("https_proxy") ?? value("all_proxy")
    exceptions = (value("no_proxy") ?? "").split { ", \t".contains($0) }.map(String.init)
  }

  /// Returns the proxy for a request, in libcurl's form; empty for none.
  func proxy(isPlain: Bool, host: String) -> String {
    guard let proxy = isPlain ? http : https, !proxy.isEmpty else { return "" }
    return exceptions.contains { Self.matches($0, host) } ? "" : proxy
  }

  /// Whether an exception matches the host: the host itself, a parent domain, an address block, or `*`.
  private static func matches(_ exception: String, _ host: String) -> Bool {
    if exception == "*" { return true }
    if let address = IPAddress(host) {
      let parts = exception.split(separator: "/", maxSplits: 1)
      let network = parts.first.map { $0.drop { $0 == "[" }.prefix { $0 != "]" } } ?? ""
      guard let block = IPAddress(String(network)) else { return false }
      return address.shares(bits: parts.count == 2 ? Int(parts[1]) : nil, with: block)
    }
    var domain = exception.lowercased()[...]
    if domain.first == "." { domain.removeFirst() }
    if domain.last == "." { domain.removeLast() }
    return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
  }
}
