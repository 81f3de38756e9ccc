// SPDX-License-Identifier: Apache-2.0

/// The parameters of a method, in the order in which its lexicon lists them.
public protocol XRPCParameters: Sendable, Hashable, ConstrainedValue {
  /// Name and unescaped value of each query item; an array gives one item an element.
  var queryItems: [XRPCQueryItem] { get }
}

extension XRPCParameters {
  public func validate() throws(ValidationError) {}
}
