// SPDX-License-Identifier: Apache-2.0

/// How much may be in a JSON document, counted while it is scanned: nothing beyond it is ever decoded.
///
/// Bytes say little: two of them (`5,`) become some hundred in memory when each element is a value, or a fault.
public struct JSONBounds: Sendable, Hashable {
  /// Values and names. A little more passes: they are counted at each comma.
  public var nodes: Int
  /// Elements of the list that the document is, or that is a member of it; lists further down count as nodes.
  public var elements: Int

  /// A million nodes, which take 16 MiB while they are read, suit documents of any kind.
  public init(nodes: Int = 1 << 20, elements: Int = .max) {
    self.nodes = nodes
    self.elements = elements
  }
}
