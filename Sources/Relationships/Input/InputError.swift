// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Why a text names no account, or no list where one is wanted.
public struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What it should name: `account`.
  public let noun: String
  /// The text, cut after 256 bytes.
  public let text: String
  /// What is wrong with it.
  public let reason: String
  /// Where the text stands, as `FILE:LINE`; nil for one that was given directly.
  public let place: String?

  /// Makes an error about a text.
  public init(text: String, naming noun: String = "account", reason: String, place: String? = nil) {
    self.noun = noun
    self.text = text.shortened(toBytes: 256)
    self.reason = reason
    self.place = place
  }

  public var description: String {
    (place.map { "\($0): " } ?? "") + "\"\(text)\" names no \(noun): \(reason)"
  }
}
