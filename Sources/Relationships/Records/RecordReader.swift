// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
package import ATProtoCore
internal import ATProtoLexicons

/// Reads single records of a repository by `com.atproto.repo.getRecord`; nobody has to be signed in.
package struct RecordReader: Sendable {
  private let repository: DID
  private let client: XRPCClient

  /// Reads by the client's service, the PDS of the repository.
  package init(of repository: DID, client: XRPCClient) {
    self.repository = repository
    self.client = client
  }

  /// The value of a record, or nil when the repository certainly has none of that name.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func record(_ rkey: RecordKey, in collection: NSID) async throws -> DataValue? {
    try await find(rkey, in: collection, reading: FoundRecord.self)?.value
  }

  /// Asks for a record, and reads as much of it as is wanted; nil when the repository says that it has none.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func find<Found: RecordFinding>(
    _ rkey: RecordKey, in collection: NSID, reading: Found.Type
  ) async throws -> Found? {
    typealias Method = Com.Atproto.Repo.GetRecord
    let parameters = Method.Parameters(repo: .did(repository), collection: collection, rkey: rkey)
    do {
      let found = try await client.query(Method.self, parameters, reading: reading)
      guard found.uri.collection == collection, found.uri.recordKey == rkey else {
        throw RepositoryError(
          .invalidResponse, detail: "\(Method.nsid): asked was \(collection)/\(rkey), it is \(found.uri)")
      }
      return found
    } catch let error as XRPCError where error.saysNoSuchRecord {
      return nil
    } catch {
      if error is CancellationError { throw error }
      throw RepositoryError(asking: error)
    }
  }
}

/// As much of an answer of `com.atproto.repo.getRecord` as somebody wants to know.
package protocol RecordFinding: Decodable, Sendable {
  var uri: ATURI { get }
}

/// A record and its value.
package struct FoundRecord: RecordFinding {
  package let uri: ATURI
  package let value: DataValue
}
