// SPDX-License-Identifier: Apache-2.0

/// An identifier that can be parsed from bytes, without creating a `String` first.
protocol ScannedIdentifier: SyntaxIdentifier {
  /// The kind of identifier in errors.
  static var subject: String { get }

  /// Parses all bytes.
  init(scanning bytes: UTF8Bytes) throws(SyntaxFault)
}

extension ScannedIdentifier {
  public init(parsing text: some StringProtocol) throws(SyntaxError) {
    self = try text.scanned(as: Self.subject) { bytes throws(SyntaxFault) in try Self(scanning: bytes) }
  }

  /// Parses all bytes; nil if they are invalid.
  init?(valid bytes: UTF8Bytes) {
    do throws(SyntaxFault) { try self.init(scanning: bytes) } catch { return nil }
  }
}
