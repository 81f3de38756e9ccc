// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which proxy, if any, an exchange goes through.
///
/// Decided here and not by libcurl, since only who decides knows whether the address connected to is the
/// proxy's or the server's; the variables and their meaning are libcurl's own.
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

  /// Reads the usual variables: `http_proxy` (in lower case only, since `HTTP_PROXY` is what a CGI program
  /// gets from a client), `https_proxy`, `all_proxy` and `no_proxy`.
  init(environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name) ?? environment(name.uppercased()) }
    http = environment("http_proxy") ?? value("all_proxy")
    https = value("https_proxy") ?? value("all_proxy")
    exceptions = (value("no_proxy") ?? "").split { ", \t".contains($0) }.map(String.init)
  }

  /// The proxy for a request, as libcurl takes it; empty for none.
  func proxy(isPlain: Bool, host: String) -> String {
    guard let proxy = isPlain ? http : https, !proxy.isEmpty else { return "" }
    return exceptions.contains { Self.matches($0, host) } ? "" : proxy
  }

  /// Whether an exception names the host: itself, a domain above it, a block of addresses, or `*`.
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
