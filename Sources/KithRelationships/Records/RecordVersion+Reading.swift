// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

extension RecordVersion {
  /// Reads the current version from a repository.
  ///
  /// - Parameter client: a client for the PDS of the record's account; it need not be signed in.
  /// - Returns: nil if the repository certainly has no such record, or the AT-URI is not that of a record.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package static func read(_ record: ATURI, client: XRPCClient) async throws -> RecordVersion? {
    guard case .did(let owner) = record.authority, let collection = record.collection,
      let rkey = record.recordKey
    else { return nil }
    return try await RecordReader(of: owner, client: client).find(rkey, in: collection, reading: Self.self)
  }
}

extension RecordVersion: RecordFinding {}
