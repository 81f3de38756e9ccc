// SPDX-License-Identifier: Apache-2.0

/// The maximum size of a method's response: about ten times the largest that real servers send.
///
/// Larger responses are hostile or broken, and are rejected before decoding.
public struct AnswerBounds: Sendable, Hashable {
  /// Bytes after decompression. Every method should allow at least the HTML page that a proxy may show instead.
  public let bytes: Int
  /// Values and names in the JSON.
  public let nodes: Int
  /// The maximum length of the list in a response.
  public let list: List

  /// What the length of a response's list depends on.
  public enum List: Sendable, Hashable {
    /// No list is bounded.
    case none
    /// As many elements as the request has values of a parameter.
    case each(of: String)
    /// Four times the request's `limit`, because some servers return more than requested.
    case page
  }

  /// Creates bounds.
  public init(bytes: Int, nodes: Int, list: List = .none) {
    self.bytes = bytes
    self.nodes = nodes
    self.list = list
  }

  /// For methods without bounds of their own: only the limits of the exchange restrict the bytes.
  public static let unlisted = AnswerBounds(bytes: .max, nodes: JSONBounds().nodes)

  /// The assumed limit of a request that names none: the default of all listings.
  private static let usualLimit = 50
  private static let timesLimit = 4

  /// Returns the limits for decoding the response to a request as JSON.
  public func json(for items: [XRPCQueryItem]) -> JSONBounds {
    let elements =
      switch list {
      case .none: Int.max
      case .each(let name): items.count { $0.name == name }
      case .page:
        Self.most(items.first { $0.name == "limit" }.flatMap { Int($0.value) } ?? Self.usualLimit)
      }
    return JSONBounds(nodes: nodes, elements: elements)
  }

  /// The most elements of a page of that limit, which an app may choose freely.
  private static func most(_ limit: Int) -> Int {
    let (most, overflow) = limit.multipliedReportingOverflow(by: timesLimit)
    return overflow ? .max : most
  }
}
