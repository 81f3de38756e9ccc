// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The whole answer to a ``TransportRequest``.
public struct TransportResponse: Sendable {
  /// Status and header fields of the final answer.
  public var head: HTTPResponse
  /// The body, decompressed.
  public var body: [UInt8]
  /// What the exchange cost.
  public var metrics: Metrics

  /// Puts an answer together; a scripted transport leaves the metrics at zero.
  public init(head: HTTPResponse, body: [UInt8], metrics: Metrics = Metrics()) {
    self.head = head
    self.body = body
    self.metrics = metrics
  }

  /// The cost of one exchange, as seen on the wire.
  public struct Metrics: Sendable, Hashable {
    /// Bytes sent, head and body.
    public var bytesSent: Int
    /// Bytes received, head and body, before decompression.
    public var bytesReceived: Int
    /// From the moment the request was handed over to the last byte.
    public var elapsed: Duration
    /// Connections opened for it; 0 when one was reused.
    public var connectionsOpened: Int

    /// Everything is zero by default.
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
