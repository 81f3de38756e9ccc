// SPDX-License-Identifier: Apache-2.0

import KithClient

extension CurlTransport {
  /// How a transport behaves towards all hosts.
  public struct Configuration: Sendable, Hashable {
    /// The name and version of the program, as `name/version`.
    public var product: String
    /// How its operator can be reached, a `mailto:` or `https:` URL; sent only to hosts that the user named.
    public var contact: String?
    /// A file of trusted certificates (PEM) instead of the system's.
    public var caFile: String?
    /// The proxy to use.
    public var proxy: Proxy
    /// The newest version to offer over TLS; plain HTTP always uses 1.1.
    public var httpVersion: HTTPVersion
    /// The maximum number of connections to one host; further exchanges wait.
    public var connectionsPerHost: Int
    /// The maximum number of idle connections to keep open.
    public var idleConnections: Int
    /// The path of a Unix socket that all connections lead to, whatever the URL says; nil for the network. A proxy is not used
    /// then. At most 107 bytes.
    public var unixSocket: String?
    /// Whether plain connections are HTTP/2 without negotiation. For tests: a server of theirs needs no
    /// certificate.
    var speaksHTTP2WithoutTLS = false
    /// The processor time that one call of libcurl may use, before the watchdog ends it.
    var longestCall = Duration.milliseconds(500)

    /// Creates a configuration; the defaults suit calls of the AppView.
    public init(
      product: String = "kith/0.2.0", contact: String? = nil, caFile: String? = nil,
      proxy: Proxy = .environment, httpVersion: HTTPVersion = .http2, connectionsPerHost: Int = 8,
      idleConnections: Int = 32, unixSocket: String? = nil
    ) {
      self.product = product
      self.contact = contact
      self.caFile = caFile
      self.proxy = proxy
      self.httpVersion = httpVersion
      self.connectionsPerHost = connectionsPerHost
      self.idleConnections = idleConnections
      self.unixSocket = unixSocket
    }

    /// The proxy that requests use.
    ///
    /// Behind a proxy the transport cannot see where a connection leads. `Reach.publicOnly` then rejects
    /// names that have a non-public address here; names without an address here are left to the proxy.
    public enum Proxy: Sendable, Hashable {
      /// The proxy in `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` when the transport is created.
      case environment
      /// No proxy, regardless of the environment.
      case none
      /// A proxy for everything but the exceptions: hosts, domains, addresses or blocks, as in `no_proxy`.
      case url(String, except: [String])
    }

    /// The newest version of HTTP to offer.
    public enum HTTPVersion: Sendable, Hashable {
      /// HTTP/1.1 only.
      case http1
      /// HTTP/2 if the server supports it, otherwise HTTP/1.1.
      case http2
    }

    /// The value of `User-Agent` for hosts that the user named: the product, and the contact in parentheses.
    public var userAgent: String { UserAgent.value(product: product, contact: contact) }

    /// The value of `User-Agent` for all other hosts: the product only.
    public var userAgentForStrangers: String { UserAgent.value(product: product) }
  }
}
