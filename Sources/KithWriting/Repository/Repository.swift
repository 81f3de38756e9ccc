// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// One account's repository on its PDS, and the calls that its AppView stores for it: where changes are
/// written.
///
/// This is a protocol to test the journal and the writer against scripted servers; ``PDSRepository`` is the
/// implementation for a real PDS.
package protocol Repository: Sendable {
  /// The owner of the repository.
  var account: DID { get }

  /// The server.
  var server: String { get }

  /// Whether its server compares commits. If not, a change of another app right before a write can go unnoticed.
  var comparesCommits: Bool { get async }

  /// Writes everything in one commit, or nothing.
  ///
  /// Sends once: an uncertain outcome is thrown as ``RepositoryError/Code/inDoubt``, and can be checked with
  /// ``resolveInDoubt(_:learning:)``.
  /// - Parameters:
  ///   - writes: at most ``RecordWrite/mostPerCommit``; no two for the same record.
  ///   - basis: a commit at or after which everything was read that the writes depend on; nil if there is none.
  ///     If another app has made a commit since, nothing is written. Own commits since then do not count.
  ///   - learn: called for each created record to which the server gave a key of its own.
  /// - Returns: the new commit, if nothing else can have changed since `basis`; otherwise nil, and what was read
  ///   before is outdated.
  /// - Throws: ``RepositoryError``: ``RepositoryError/Code/outdated`` after a commit of another app;
  ///   `CancellationError` only before anything was sent.
  func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> RepositoryCommit?

  /// Asks the repository whether a commit in doubt took effect.
  ///
  /// All records that it creates are checked: an earlier commit with some of them may have arrived late. They may be
  /// under keys that the server has chosen.
  /// - Parameter learn: called for each created record to which the server gave a key of its own.
  /// - Returns: true if it took effect, false if it did not (yet).
  /// - Throws: ``RepositoryError``: `taken` if it did not take effect and never will; `partial` if some of it
  ///   did; another code if the repository cannot be read and the doubt remains. `CancellationError`.
  func resolveInDoubt(
    _ writes: [RecordWrite], learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> Bool

  /// Makes a call that the AppView stores; retried automatically, because it is idempotent.
  ///
  /// - Throws: ``RepositoryError``; `CancellationError` only before anything was sent.
  func call(_ call: ViewerCall) async throws

  /// Returns the contents of many records; records that certainly do not exist are left out.
  ///
  /// A record whose content is outside the data model is `null`.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue]

  /// Returns the content of a file of the account; nil if the server does not have it, or has another one.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func file(_ file: Blob) async throws -> [UInt8]?

  /// Uploads a file, so that a record may name it; the same file may be uploaded again.
  ///
  /// - Throws: ``RepositoryError``; no record was changed then. `CancellationError`.
  func upload(_ bytes: [UInt8], as file: Blob) async throws

  /// Passes on records of whole collections: the key of each, and its edge if it can be read.
  ///
  /// They are those of the repository itself, because the AppView lags behind it (Q21). Likes and reposts are the
  /// exception, because an account has tens of thousands: those are passed on that are among the latest, that have one
  /// of the keys, or that the AppView names for one of the subjects.
  /// - Parameter wanted: what to pass on, by collection; each the one of an ``EdgeKind``.
  /// - Returns: a commit at or after which the records were read; nil if the server does not name its commits.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func list(
    _ wanted: [NSID: OwnRecordFilter], _ take: (NSID, RecordKey, RecordEdge?) -> Void
  ) async throws -> RepositoryCommit?
}

extension Repository {
  /// Nothing: a repository without files.
  package func file(_ file: Blob) async throws -> [UInt8]? { nil }

  /// Fails: a repository without files.
  package func upload(_ bytes: [UInt8], as file: Blob) async throws {
    throw RepositoryError(.refused, detail: "there is no place for files")
  }

  /// Writes everything in one commit, as ``commit(_:after:learning:)`` does, whatever keys the server gives.
  package func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?
  ) async throws -> RepositoryCommit? {
    try await commit(writes, after: basis) { _, _ in }
  }

  /// Asks whether a commit in doubt took effect, as ``resolveInDoubt(_:learning:)`` does, whatever keys the server gives.
  package func resolveInDoubt(_ writes: [RecordWrite]) async throws -> Bool {
    try await resolveInDoubt(writes) { _, _ in }
  }
}
