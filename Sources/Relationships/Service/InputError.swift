// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Why a text names no account.
public struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text, cut after 256 bytes.
  public let text: String
  /// What is wrong with it.
  public let reason: String
  /// Where the text stands, as `FILE:LINE`; nil for one that was given directly.
  public let place: String?

  /// Makes an error about a text.
  public init(text: String, reason: String, place: String? = nil) {
    self.text = text.shortened(toBytes: 256)
    self.reason = reason
    self.place = place
  }

  public var description: String {
    (place.map { "\($0): " } ?? "") + "\"\(text)\" names no account: \(reason)"
  }
}
