// SPDX-License-Identifier: Apache-2.0

extension CurlTransport {
  /// How a transport behaves towards all hosts.
  public struct Configuration: Sendable, Hashable {
    /// The program that asks, as `name/version`.
    public var product: String
    /// Where its operator can be reached, a `mailto:` or `https:` URL; sent to hosts that the user named
    /// (``TransportRequest/Reach/anywhere``), and to no others.
    public var contact: String?
    /// A file of trusted certificates (PEM) instead of the system's.
    public var caFile: String?
    /// The way out of the local network.
    public var proxy: Proxy
    /// The newest version to offer over TLS; plain HTTP is always 1.1.
    public var httpVersion: HTTPVersion
    /// The most connections to one host at a time; further exchanges wait.
    public var connectionsPerHost: Int
    /// The most connections that are kept open without use.
    public var idleConnections: Int

    /// Everything has a default that suits calls of the AppView.
    public init(
      product: String = "kith/0.1.0", contact: String? = nil, caFile: String? = nil,
      proxy: Proxy = .environment, httpVersion: HTTPVersion = .http2, connectionsPerHost: Int = 8,
      idleConnections: Int = 32
    ) {
      self.product = product
      self.contact = contact
      self.caFile = caFile
      self.proxy = proxy
      self.httpVersion = httpVersion
      self.connectionsPerHost = connectionsPerHost
      self.idleConnections = idleConnections
    }

    /// Which proxy requests go through.
    ///
    /// Behind a proxy the transport does not see where a connection leads: `Reach.publicOnly` then refuses names
    /// which have an address here that is not public. One that has none here is the proxy's affair.
    public enum Proxy: Sendable, Hashable {
      /// As `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say when the transport is made.
      case environment
      /// No proxy, whatever the environment says.
      case none
      /// A proxy for everything but the exceptions: hosts, domains, addresses or blocks as in `no_proxy`.
      case url(String, except: [String])
    }

    /// The newest version of HTTP that is offered.
    public enum HTTPVersion: Sendable, Hashable {
      /// HTTP/1.1 only.
      case http1
      /// HTTP/2 where the server takes it, else HTTP/1.1.
      case http2
    }

    /// The value of `User-Agent` for hosts that the user named: the product, and the contact in parentheses.
    public var userAgent: String { Self.fieldValue(product + (contact.map { " (+\($0))" } ?? "")) }

    /// The value of `User-Agent` for all others: the product alone.
    public var userAgentForStrangers: String { Self.fieldValue(product) }

    /// Without control characters, which would break the header field.
    private static func fieldValue(_ text: String) -> String {
      String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
    }
  }
}
