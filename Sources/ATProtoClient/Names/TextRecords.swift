// SPDX-License-Identifier: Apache-2.0

/// Looks up TXT records in the DNS. The edge of this library's I/O, as ``HTTPTransport`` is.
public protocol TextRecords: Sendable {
  /// The texts of a name, each record's strings joined; empty where the name has none, or does not exist.
  ///
  /// Takes five seconds at most.
  /// - Throws: ``TransportError`` where that could not be learned; `CancellationError` when cancelled.
  func texts(of name: String) async throws -> [String]
}
