// SPDX-License-Identifier: Apache-2.0

/// The parameters of a method, in the order of its lexicon.
public protocol XRPCParameters: Sendable, Hashable, ConstrainedValue {
  /// The name and unescaped value of each query item; an array has one item for each element.
  var queryItems: [XRPCQueryItem] { get }

  /// Reads the parameters of a request, without their constraints; see `validate()`.
  ///
  /// - Throws: ``ValidationError`` for a missing, repeated or malformed value.
  init(reading query: XRPCQueryReader) throws(ValidationError)
}

extension XRPCParameters {
  public func validate() throws(ValidationError) {}
}
