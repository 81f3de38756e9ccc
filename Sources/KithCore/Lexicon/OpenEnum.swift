// SPDX-License-Identifier: Apache-2.0

/// A string for which a lexicon lists some values (`knownValues`) and allows any other.
///
/// The known values are static members; other values are kept unchanged.
public protocol OpenEnum: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible
where RawValue == String {
  /// Accepts any text.
  init(rawValue: String)
}

extension OpenEnum {
  public var description: String { rawValue }
}
