// SPDX-License-Identifier: Apache-2.0

/// A string of which a lexicon names some values (`knownValues`) and allows all others.
///
/// The known ones are static members; a value that is not among them is kept as it came.
public protocol OpenEnum: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible
where RawValue == String {
  /// Takes any text.
  init(rawValue: String)
}

extension OpenEnum {
  public var description: String { rawValue }
}
