// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// One HTTP request with the limits for its response.
public struct TransportRequest: Sendable {
  /// The method, URL and header fields.
  public var head: HTTPRequest
  /// The body, sent with its length; nil for none.
  public var body: [UInt8]?
  /// The time and size limits of the exchange.
  public var limits: Limits
  /// Whether a 3xx response is followed.
  public var redirects: Redirects
  /// The addresses that the connection may lead to, including redirect targets.
  public var reach: Reach

  /// Creates a request; everything but the head has a default.
  public init(
    head: HTTPRequest, body: [UInt8]? = nil, limits: Limits = Limits(), redirects: Redirects = .refuse,
    reach: Reach = .anywhere
  ) {
    self.head = head
    self.body = body
    self.limits = limits
    self.redirects = redirects
    self.reach = reach
  }

  /// The limits of one exchange.
  public struct Limits: Sendable, Hashable {
    /// The time for name resolution, TCP and TLS together.
    public var connect: Duration
    /// The maximum time without a single byte in either direction.
    public var stall: Duration
    /// The maximum time of the whole exchange, including the body.
    public var total: Duration
    /// The maximum body size in bytes after decompression; a larger response is cut off and fails.
    public var responseBytes: Int

    /// The defaults suit calls of the AppView, whose responses stay well below a megabyte.
    public init(
      connect: Duration = .seconds(10), stall: Duration = .seconds(15), total: Duration = .seconds(60),
      responseBytes: Int = 16 << 20
    ) {
      self.connect = connect
      self.stall = stall
      self.total = total
      self.responseBytes = responseBytes
    }

    /// The same for a host chosen by someone else, which gets five seconds.
    var forUntrustedHosts: Limits {
      let most = Duration.seconds(5)
      return Limits(
        connect: min(connect, most), stall: min(stall, most), total: min(total, most),
        responseBytes: responseBytes)
    }
  }

  /// What to do with a 3xx response.
  public enum Redirects: Sendable, Hashable {
    /// Returns the 3xx response itself.
    case refuse
    /// Follows up to this many redirects, without `Authorization` or cookies, and never from https to http.
    case follow(most: Int)
  }

  /// Where a connection may lead, checked on the address that it actually uses. Through a proxy, which makes
  /// the connection, it is checked on the addresses that the name has locally, if any.
  public enum Reach: Sendable, Hashable {
    /// Any address: for hosts that the user named.
    case anywhere
    /// Only https on port 443 of public addresses; no loopback, private, link-local or other special range
    /// and no address of this machine. For hosts named by someone else (a `did:web`, a PDS from a DID
    /// document, a redirect). Needs a transport with ``TransportCapabilities/connectedAddress`` and
    /// ``TransportCapabilities/headLimit``.
    case publicOnly
  }
}
