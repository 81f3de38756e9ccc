// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// One HTTP request with the bounds within which it must be answered.
public struct TransportRequest: Sendable {
  /// Method, URL and header fields.
  public var head: HTTPRequest
  /// The body, sent with its length; nil for none.
  public var body: [UInt8]?
  /// How long and how large the exchange may become.
  public var limits: Limits
  /// Whether a 3xx answer is followed.
  public var redirects: Redirects
  /// Which addresses the connection may lead to, the targets of redirects included.
  public var reach: Reach

  /// Makes a request; everything but the head has a default.
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

  /// Bounds on one exchange.
  public struct Limits: Sendable, Hashable {
    /// Name resolution, TCP and TLS together.
    public var connect: Duration
    /// Longest time without a single byte, in either direction.
    public var stall: Duration
    /// The whole exchange, the body included.
    public var total: Duration
    /// Bytes of body after decompression; a larger answer is cut off and fails.
    public var responseBytes: Int

    /// The defaults suit calls of the AppView: answers stay well under a megabyte.
    public init(
      connect: Duration = .seconds(10), stall: Duration = .seconds(15), total: Duration = .seconds(60),
      responseBytes: Int = 16 << 20
    ) {
      self.connect = connect
      self.stall = stall
      self.total = total
      self.responseBytes = responseBytes
    }

    /// The same for a host that somebody else chose, which gets five seconds.
    var forStrangers: Limits {
      let most = Duration.seconds(5)
      return Limits(
        connect: min(connect, most), stall: min(stall, most), total: min(total, most),
        responseBytes: responseBytes)
    }
  }

  /// What to do with a 3xx answer.
  public enum Redirects: Sendable, Hashable {
    /// The 3xx itself is the answer.
    case refuse
    /// Follow up to this many, without `Authorization` or cookies, and never from https to http.
    case follow(most: Int)
  }

  /// Where a connection may lead, checked on the address that is really connected to. Through a proxy, which makes
  /// the connection, it is checked on the addresses that the name has here, if any.
  public enum Reach: Sendable, Hashable {
    /// Any address: for hosts that the user named.
    case anywhere
    /// By https on port 443 of public addresses only, no loopback, private, link-local or other special range and
    /// none of this machine's own: for hosts that somebody else named (a `did:web`, a PDS from a DID document, a
    /// redirect).
    case publicOnly
  }
}
