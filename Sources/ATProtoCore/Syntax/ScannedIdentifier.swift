// SPDX-License-Identifier: Apache-2.0

/// An identifier that is read from bytes, so that one from the wire need not become a text before it is one.
protocol ScannedIdentifier: SyntaxIdentifier {
  /// What it is called in errors.
  static var subject: String { get }

  /// Reads all bytes.
  init(scanning bytes: UTF8Bytes) throws(SyntaxFault)
}

extension ScannedIdentifier {
  public init(parsing text: some StringProtocol) throws(SyntaxError) {
    self = try text.scanned(as: Self.subject) { bytes throws(SyntaxFault) in try Self(scanning: bytes) }
  }

  /// Reads all bytes, or nil where they are at fault.
  init?(valid bytes: UTF8Bytes) {
    do throws(SyntaxFault) { try self.init(scanning: bytes) } catch { return nil }
  }
}
