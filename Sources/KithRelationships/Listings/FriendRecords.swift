// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The requests, answers and policy in one repository.
package struct FriendRecords: Sendable {
  private let reader: RecordReader

  package init(_ reader: RecordReader) { self.reader = reader }

  private var account: DID { reader.repository }

  /// The request to an account, by one `com.atproto.repo.getRecord`; nil if there is none, or none that can be understood.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func request(to subject: DID) async throws -> FriendRequest? {
    guard let rkey = FriendRequest.key(to: subject),
      let found = try await reader.find(rkey, in: FriendRequest.collection, reading: FoundVersion.self)
    else { return nil }
    return FriendRequest(found.value, of: account, at: rkey).flatMap { found.agrees(with: $0.cid) ? $0 : nil }
  }

  /// The answer to a version of a request; nil if it was not accepted.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func answer(to request: FriendRequest) async throws -> FriendAnswer? {
    guard let rkey = FriendAnswer.key(accepting: request.version),
      let value = try await reader.record(rkey, in: FriendAnswer.collection)
    else { return nil }
    return FriendAnswer(value, of: account, at: rkey)
  }

  /// The policy and what else the record says; nil if the account does not take part, or its record cannot be understood.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func policy() async throws -> FriendPolicy? {
    try await reader.record(.literalSelf, in: FriendPolicy.collection).flatMap { FriendPolicy($0) }
  }

  /// All requests, newest keys first as the server lists them; nil for a record that is no request.
  package func requests() -> PagedSequence<FriendRequest?> {
    let account = account
    return reader.rows(in: FriendRequest.collection, reading: DataValue.self) { row in
      guard let rkey = row.rkey(in: FriendRequest.collection, of: account), let value = row.content else {
        return nil
      }
      return FriendRequest(value, of: account, at: rkey)
    }
  }

  /// All answers; nil for a record that is no answer.
  package func answers() -> PagedSequence<FriendAnswer?> {
    let account = account
    return reader.rows(in: FriendAnswer.collection, reading: DataValue.self) { row in
      guard let rkey = row.rkey(in: FriendAnswer.collection, of: account), let value = row.content else {
        return nil
      }
      return FriendAnswer(value, of: account, at: rkey)
    }
  }
}

/// A record with the version that the server claims.
private struct FoundVersion: RecordFinding {
  let uri: ATURI
  let cid: CID?
  let value: DataValue

  /// Whether the server claims the CID that follows from the content. One that does not could change what was accepted.
  func agrees(with computed: CID) -> Bool { cid.map { $0 == computed } ?? true }
}
