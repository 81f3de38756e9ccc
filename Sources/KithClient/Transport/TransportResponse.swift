// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The complete response to a ``TransportRequest``.
public struct TransportResponse: Sendable {
  /// The status and header fields of the final response.
  public var head: HTTPResponse
  /// The body, decompressed.
  public var body: [UInt8]
  /// The cost of the exchange.
  public var metrics: Metrics

  /// Creates a response; a scripted transport leaves the metrics at zero.
  public init(head: HTTPResponse, body: [UInt8], metrics: Metrics = Metrics()) {
    self.head = head
    self.body = body
    self.metrics = metrics
  }

  /// The cost of one exchange, as measured on the network.
  public struct Metrics: Sendable, Hashable {
    /// Bytes sent, head and body.
    public var bytesSent: Int
    /// Bytes received, head and body, before decompression.
    public var bytesReceived: Int
    /// The time from handing over the request to the last byte.
    public var elapsed: Duration
    /// The number of connections opened for it; 0 if one was reused.
    public var connectionsOpened: Int

    /// Creates metrics; everything defaults to zero.
    public init(
      bytesSent: Int = 0, bytesReceived: Int = 0, elapsed: Duration = .zero, connectionsOpened: Int = 0
    ) {
      self.bytesSent = bytesSent
      self.bytesReceived = bytesReceived
      self.elapsed = elapsed
      self.connectionsOpened = connectionsOpened
    }
  }
}
