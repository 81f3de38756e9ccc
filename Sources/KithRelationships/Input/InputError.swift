// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why a text is not a valid account, or not a valid list.
public struct InputError: CodedError {
  public static let domain = "input"

  /// The kind of thing expected: `account`.
  public let noun: String
  /// The text, truncated to 256 bytes.
  public let text: String
  /// What is wrong with it.
  public let reason: String
  /// The place of the text as `FILE:LINE`; nil if it was given directly.
  public let place: String?

  /// Creates an error about a text.
  public init(text: String, naming noun: String = "account", reason: String, place: String? = nil) {
    self.noun = noun
    self.text = text.shortened(toBytes: 256)
    self.reason = reason
    self.place = place
  }

  public var code: InvalidValueCode { .invalid }
  /// The place of the text; empty if it was given directly.
  public var subject: String { place ?? "" }
  /// The text and what is wrong with it.
  public var detail: String { "invalid \(noun) \"\(text)\": \(reason)" }
}
