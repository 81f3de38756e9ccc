// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// The current version of a record, whatever its content.
package struct RecordVersion: Sendable, Hashable {
  /// The record's URI.
  package let uri: ATURI
  /// The hash of the content, for strong references to exactly this version.
  package let cid: CID

  package init(uri: ATURI, cid: CID) { (self.uri, self.cid) = (uri, cid) }

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
