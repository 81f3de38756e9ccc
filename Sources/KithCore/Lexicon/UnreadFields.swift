// SPDX-License-Identifier: Apache-2.0

/// The optional fields of an object being decoded that could not be read.
///
/// Generated types use it for their coding.
public struct UnreadFields {
  private var names: [String] = []
  /// Why the first of them could not be read.
  private var fault: (any Error)?

  public init() {}

  mutating func add(_ name: String, because error: any Error) {
    names.append(name)
    fault = fault ?? error
  }

  func contains(_ name: String) -> Bool { names.contains { $0.hasSameBytes(as: name) } }

  /// Throws if there are any and the document is read strictly.
  func check(_ decoder: any Decoder) throws {
    if let fault, decoder.isStrict { throw fault }
  }
}

extension Decoder {
  /// Whether a field that is defined otherwise is a fault, even if it is optional.
  var isStrict: Bool { JSONValueDecoder(self)?.document.isStrict ?? false }
}
