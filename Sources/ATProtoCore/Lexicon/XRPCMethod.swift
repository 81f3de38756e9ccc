// SPDX-License-Identifier: Apache-2.0

/// A method of a lexicon: its name, its parameters and the answer it gives.
///
/// Generated types conform to ``XRPCQuery`` or ``XRPCProcedure``; a client turns them into HTTP.
/// Specification: <https://atproto.com/specs/xrpc>.
public protocol XRPCMethod: Sendable {
  /// The query string's fields; ``NoParameters`` where the lexicon names none.
  associatedtype Parameters: XRPCParameters
  /// The answer's body; ``NoContent`` where the lexicon names none.
  associatedtype Output: XRPCPayload

  /// The name under `/xrpc/` on any server that offers the method.
  static var nsid: NSID { get }
}

/// A method that only reads: sent as GET, safe to repeat.
public protocol XRPCQuery: XRPCMethod {}

/// A method that may change something: sent as POST, repeated only when its caller says so.
public protocol XRPCProcedure: XRPCMethod {
  /// The request's body; ``NoContent`` where the lexicon names none.
  associatedtype Input: XRPCPayload
}

/// The parameters of a method, in the order in which its lexicon lists them.
public protocol XRPCParameters: Sendable, Hashable {
  /// Name and unescaped value of each query item; an array gives one item an element.
  var queryItems: [XRPCQueryItem] { get }

  /// Checks the values against the lexicon's limits.
  ///
  /// - Throws: ``ValidationError`` with the path of the first fault.
  func validate() throws(ValidationError)
}

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

/// The parameters of a method that takes none.
public struct NoParameters: XRPCParameters {
  /// The only value.
  public init() {}

  public var queryItems: [XRPCQueryItem] { [] }
  public func validate() throws(ValidationError) {}
}
