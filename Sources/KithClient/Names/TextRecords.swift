// SPDX-License-Identifier: Apache-2.0

/// Looks up TXT records in the DNS. A boundary of this library's I/O, like ``HTTPTransport``.
public protocol TextRecords: Sendable {
  /// Returns the texts of a name, with the strings of each record joined; empty if the name has none or does
  /// not exist.
  ///
  /// Takes at most five seconds.
  /// - Throws: ``TransportError`` if the lookup fails; `CancellationError` when cancelled.
  func texts(of name: String) async throws -> [String]
}
