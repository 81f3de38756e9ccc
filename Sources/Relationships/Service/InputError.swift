// SPDX-License-Identifier: Apache-2.0

/// Why a text names no account.
public struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text, cut after 256 characters.
  public let text: String
  /// What is wrong with it.
  public let reason: String
  /// Where the text stands, as `FILE:LINE`; nil for one that was given directly.
  public let place: String?

  /// Makes an error about a text.
  public init(text: String, reason: String, place: String? = nil) {
    self.text = text.count > 256 ? text.prefix(256) + "…" : text
    self.reason = reason
    self.place = place
  }

  public var description: String {
    (place.map { "\($0): " } ?? "") + "\"\(text)\" names no account: \(reason)"
  }
}
