// SPDX-License-Identifier: Apache-2.0

/// Why a text is not the identifier that it was read as.
public struct SyntaxError: Error, Hashable, CustomStringConvertible {
  /// What the text was read as, in the field's own words: `DID`, `handle`, `NSID`.
  public let subject: String
  /// What is wrong, as a half-sentence: `a segment is empty`.
  public let reason: String
  /// Where it is wrong: a count of UTF-8 bytes from the start of the text.
  public let offset: Int
  /// The text, cut after 128 bytes.
  public let text: String

  /// Makes an error; a long text is cut so that hostile input does not travel on in errors.
  public init(_ subject: String, _ reason: String, at offset: Int, in text: some StringProtocol) {
    self.subject = subject
    self.reason = reason
    self.offset = offset
    self.text = text.shortened(toBytes: 128)
  }

  public var description: String { "not a valid \(subject): \(reason) at byte \(offset): \"\(text)\"" }
}
