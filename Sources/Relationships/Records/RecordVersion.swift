// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore

/// A record in the version that it has now, whatever it says.
public struct RecordVersion: Sendable, Hashable {
  /// Its address.
  public let uri: ATURI
  /// What a reference to just this version names besides.
  public let cid: CID

  /// Reads which version a repository holds.
  ///
  /// - Parameter client: asks the PDS of the record's account; nobody has to be signed in.
  /// - Returns: nil when the repository certainly has no such record, or the AT-URI names none.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  public static func read(_ record: ATURI, client: XRPCClient) async throws -> RecordVersion? {
    guard case .did(let owner) = record.authority, let collection = record.collection,
      let rkey = record.recordKey
    else { return nil }
    return try await RecordReader(of: owner, client: client).find(rkey, in: collection, reading: Self.self)
  }
}

extension RecordVersion: RecordFinding {}
