// SPDX-License-Identifier: Apache-2.0

/// One `name=value` of a query string, before percent-encoding.
public struct XRPCQueryItem: Sendable, Hashable {
  private enum Value: Sendable {
    case text(String)
    /// Formatted only when the query string is written: a call may have thirty DIDs.
    case did(DID)
  }

  /// The name of the parameter in the lexicon.
  public let name: String
  private let content: Value

  /// The value as text: strings unchanged, integers in decimal, booleans as `true` and `false`.
  public var value: String {
    switch content {
    case .text(let text): text
    case .did(let did): did.description
    }
  }

  /// Creates an item from a name and an unescaped value.
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

  /// Calls the closure with the value's text and whether it is known to need no escaping in a URL.
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
  /// Adds a parameter, unless it is nil. The value's description must be its exact text.
  public mutating func append<Value: CustomStringConvertible>(_ name: String, _ value: Value?) {
    if let value { append(XRPCQueryItem(name, value.description)) }
  }

  /// Adds a parameter once for each element; nothing for nil or an empty array.
  public mutating func append<Value: CustomStringConvertible>(_ name: String, each values: [Value]?) {
    for value in values ?? [] { append(XRPCQueryItem(name, value.description)) }
  }

  /// Adds a parameter with one item for each account.
  public mutating func append(_ name: String, each accounts: [ATIdentifier]?) {
    reserveCapacity(count + (accounts?.count ?? 0))
    for account in accounts ?? [] { append(XRPCQueryItem(name, account)) }
  }
}
