// SPDX-License-Identifier: Apache-2.0

/// One `name=value` of a query string, before percent-encoding.
public struct XRPCQueryItem: Sendable, Hashable {
  private enum Value: Sendable {
    case text(String)
    /// Spelled when it is written: calls ask about DIDs thirty at a time.
    case did(DID)
  }

  /// The parameter's name in the lexicon.
  public let name: String
  private let content: Value

  /// The value as text: strings as they are, integers in decimal, booleans as `true` and `false`.
  public var value: String {
    switch content {
    case .text(let text): text
    case .did(let did): did.description
    }
  }

  /// Makes an item from a name and an unescaped value.
  public init(_ name: String, _ value: String) {
    self.name = name
    content = .text(value)
  }

  fileprivate init(_ name: String, _ identifier: ATIdentifier) {
    self.name = name
    content =
      switch identifier {
      case .did(let did): .did(did)
      case .handle(let handle): .text(handle.description)
      }
  }

  /// Hands over the value's text, and whether it is known to need no escape in a URL.
  package func withValue(_ body: (_ text: UnsafeBufferPointer<UInt8>, _ isPlain: Bool) -> Void) {
    switch content {
    case .text(var text): text.withUTF8 { body($0, false) }
    case .did(let did): did.withText { body($0, did.isPlainInURL) }
    }
  }

  public static func == (one: XRPCQueryItem, other: XRPCQueryItem) -> Bool {
    one.name == other.name && one.value == other.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
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

  /// Adds a parameter that names accounts.
  public mutating func append(_ name: String, each accounts: [ATIdentifier]?) {
    reserveCapacity(count + (accounts?.count ?? 0))
    for account in accounts ?? [] { append(XRPCQueryItem(name, account)) }
  }
}
