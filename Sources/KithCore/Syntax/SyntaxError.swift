// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a valid identifier.
public struct SyntaxError: CodedError {
  public static let domain = "syntax"

  /// The kind of identifier that was expected: `DID`, `handle`, `NSID`.
  public let subject: String
  /// What is wrong, as a phrase: `a segment is empty`.
  public let reason: String
  /// The position of the fault, in UTF-8 bytes from the start of the text.
  public let offset: Int
  /// The text, cut after 128 bytes.
  public let text: String

  /// Creates an error; a long text is cut, to keep hostile input short in errors.
  public init(_ subject: String, _ reason: String, at offset: Int, in text: some StringProtocol) {
    self.subject = subject
    self.reason = reason
    self.offset = offset
    self.text = text.shortened(toBytes: 128)
  }

  public var code: InvalidValueCode { .invalid }
  /// The reason with the position and the text.
  public var detail: String { "\(reason) at byte \(offset): \"\(text)\"" }
  public var description: String { "not a valid \(subject): \(detail)" }
  public var errorDescription: String? { "This is not a valid \(subject): \(reason)." }
}
