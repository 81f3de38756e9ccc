// SPDX-License-Identifier: Apache-2.0

extension CurlTransport {
  /// How a transport behaves towards all hosts.
  public struct Configuration: Sendable, Hashable {
    /// The program that asks, as `name/version`.
    public var product: String
    /// Where its operator can be reached, a `mailto:` or `https:` URL; sent with every request.
    public var contact: String?
    /// A file of trusted certificates (PEM) instead of the system's.
    public var caFile: String?
    /// The newest version to offer over TLS; plain HTTP is always 1.1.
    public var httpVersion: HTTPVersion
    /// The most connections to one host at a time; further exchanges wait.
    public var connectionsPerHost: Int
    /// The most connections that are kept open without use.
    public var idleConnections: Int

    /// Everything has a default that suits calls of the AppView.
    public init(
      product: String = "kith/0.1.0", contact: String? = nil, caFile: String? = nil,
      httpVersion: HTTPVersion = .http2, connectionsPerHost: Int = 8, idleConnections: Int = 32
    ) {
      self.product = product
      self.contact = contact
      self.caFile = caFile
      self.httpVersion = httpVersion
      self.connectionsPerHost = connectionsPerHost
      self.idleConnections = idleConnections
    }

    /// The newest version of HTTP that is offered.
    public enum HTTPVersion: Sendable, Hashable {
      /// HTTP/1.1 only.
      case http1
      /// HTTP/2 where the server takes it, else HTTP/1.1.
      case http2
    }

    /// The value of `User-Agent`: the product, and the contact in parentheses.
    ///
    /// Control characters, which would break the header field, are left out.
    public var userAgent: String {
      let text = product + (contact.map { " (+\($0))" } ?? "")
      return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
    }
  }
}
