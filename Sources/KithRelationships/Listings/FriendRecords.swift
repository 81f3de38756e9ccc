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

  /// Whether there is any record in the place of a request to an account, whatever it says.
  ///
  /// - Throws: ``RepositoryError`` unless the server says that there is one or that there is none; `CancellationError`.
  func hasRequest(to subject: DID) async throws -> Bool {
    // Without a legal key, nothing proves that it is gone.
    guard let rkey = FriendRequest.key(to: subject) else { return true }
    return try await reader.find(rkey, in: FriendRequest.collection, reading: PresentRecord.self) != nil
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

  /// The policy; nil if the account does not take part, or its record cannot be understood.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func policy() async throws -> FriendPolicy? {
    try await reader.record(.literalSelf, in: FriendPolicy.collection).flatMap { FriendPolicy($0) }
  }

  /// All requests, in the server's order; nil for a record that is not a request.
  package func requests() -> PagedSequence<FriendRequest?> {
    records(in: FriendRequest.collection, FriendRequest.init)
  }

  /// All answers, in the server's order; nil for a record that is not an answer.
  package func answers() -> PagedSequence<FriendAnswer?> {
    records(in: FriendAnswer.collection, FriendAnswer.init)
  }

  private func records<Record: Sendable>(
    in collection: NSID, _ read: @escaping @Sendable (DataValue, DID, RecordKey) -> Record?
  ) -> PagedSequence<Record?> {
    let account = account
    return reader.rows(
      in: collection, reading: DataValue.self, mostPages: PaginationGuard.mostPagesOfFriends
    ) { row in
      guard let rkey = row.rkey(in: collection, of: account), let value = row.content else { return nil }
      return read(value, account, rkey)
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
