// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What an ``HTTPTransport`` enforces in addition to the limits of each request.
///
/// A request that needs a capability which its transport lacks is not sent: it fails with
/// ``TransportError/Code/unsupported``.
public struct TransportCapabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Checks ``TransportRequest/Reach/publicOnly`` on the address that the connection really leads to, after
  /// the name was resolved.
  ///
  /// Needed by every request to a host that the user did not name. Without it, these do not work: documents
  /// of `did:web` accounts, the proof of a handle by its web server, servers of other accounts,
  /// and redirects to another host.
  public static let connectedAddress = TransportCapabilities(rawValue: 1 << 0)

  /// Bounds the size of response heads, and of the bodies of redirects that are followed.
  ///
  /// Needed by the same requests as ``connectedAddress``: such a host may be hostile.
  public static let headLimit = TransportCapabilities(rawValue: 1 << 1)

  /// Slows the server down while the reader of a stream is slow.
  ///
  /// No request needs it. Without it, a stream fails with ``TransportError/Code/responseTooLarge`` if too
  /// much waits for its reader, or is complete in memory before it is read.
  public static let backpressure = TransportCapabilities(rawValue: 1 << 2)

  /// Opens WebSockets with ``HTTPTransport/openWebSocket(_:limits:)``.
  ///
  /// Live streams need it. Without it, nothing is known before it is asked for.
  public static let webSocket = TransportCapabilities(rawValue: 1 << 3)

  /// What is not done without these capabilities, as a phrase after "it does not".
  fileprivate var words: String {
    var phrases: [String] = []
    if contains(.connectedAddress) { phrases.append("check the address of the connection") }
    if contains(.headLimit) { phrases.append("limit the size of response heads") }
    if contains(.webSocket) { phrases.append("open WebSockets") }
    return phrases.joined(separator: " or ")
  }
}

extension TransportRequest {
  /// The capabilities without which the request must not be sent.
  package var needs: TransportCapabilities {
    reach == .publicOnly ? [.connectedAddress, .headLimit] : []
  }

  /// Checks that a transport has the capabilities that the request needs.
  ///
  /// - Parameter further: what is needed for something else than an exchange.
  /// - Throws: ``TransportError`` with `unsupported` and what is missing.
  package func check(
    _ capabilities: TransportCapabilities, and further: TransportCapabilities = []
  ) throws(TransportError) {
    let missing = needs.union(further).subtracting(capabilities)
    guard !missing.isEmpty else { return }
    throw TransportError(missing: missing, for: self)
  }
}

extension TransportError {
  /// Creates an error for a transport without some capabilities.
  init(missing: TransportCapabilities, for request: TransportRequest) {
    let way = missing.contains(.webSocket) ? "" : "name the host explicitly, or "
    self.init(
      .unsupported, host: request.head.authority ?? "(no host)",
      detail: "it does not \(missing.words); \(way)use a transport such as CurlTransport")
  }
}
