// SPDX-License-Identifier: Apache-2.0

/// Limits on the content of a JSON document, enforced while it is scanned: nothing beyond them is decoded.
///
/// The number of bytes is not enough: two of them (`5,`) can become some hundred bytes in memory if each
/// element is a value or an error.
public struct JSONBounds: Sendable, Hashable {
  /// Values and names. Slightly more can pass, because they are counted at each comma.
  public var nodes: Int
  /// Elements of the list that is the root or a member of the root; deeper lists only count as nodes.
  public var elements: Int

  /// Creates limits. The default of about a million nodes (16 MiB while decoding) suits documents of any
  /// kind.
  public init(nodes: Int = 1 << 20, elements: Int = .max) {
    self.nodes = nodes
    self.elements = elements
  }
}
