// SPDX-License-Identifier: Apache-2.0

/// One `name=value` of a query string, before percent-encoding.
public struct XRPCQueryItem: Sendable, Hashable {
  /// The parameter's name in the lexicon.
  public let name: String
  /// The value as text: strings as they are, integers in decimal, booleans as `true` and `false`.
  public let value: String

  /// Makes an item from a name and an unescaped value.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [XRPCQueryItem] {
  /// Adds a parameter, unless it is absent. The value's description must be its exact text.
  public mutating func append<Value: CustomStringConvertible>(_ name: String, _ value: Value?) {
    if let value { append(XRPCQueryItem(name, value.description)) }
  }

  /// Adds a parameter that occurs once an element, and so not at all when there is none.
  public mutating func append<Value: CustomStringConvertible>(_ name: String, each values: [Value]?) {
    for value in values ?? [] { append(XRPCQueryItem(name, value.description)) }
  }
}
