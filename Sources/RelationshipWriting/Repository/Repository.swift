// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import Relationships

/// One account's repository on its PDS, and the calls that its AppView keeps for it: where changes go.
///
/// A protocol so that the journal and the writer can be tried against scripted servers; the one that speaks to a
/// real PDS is `PDSRepository`.
public protocol Repository: Sendable {
  /// Whose repository it is.
  var account: DID { get }

  /// Writes all in one commit, or nothing.
  ///
  /// Sends once: an outcome that is not certain is thrown as ``RepositoryError/Code/inDoubt``, and
  /// ``settle(_:)`` finds out.
  /// - Parameter writes: at most ``RecordWrite/mostPerCommit``; no two of the same record.
  /// - Throws: ``RepositoryError``; `CancellationError` only before anything was sent.
  func commit(_ writes: [RecordWrite]) async throws

  /// Asks the repository whether a commit that is in doubt has happened.
  ///
  /// All records that it makes are asked for: an earlier commit of some of them may have come late.
  /// - Returns: true when it has, false when it has not (yet).
  /// - Throws: ``RepositoryError``: `taken` when it has not, and never will; `partial` when some of it is there;
  ///   otherwise nobody answers, and the doubt stays. `CancellationError`.
  func settle(_ writes: [RecordWrite]) async throws -> Bool

  /// Makes a call that the AppView keeps; repeated by itself, for twice is the same as once.
  ///
  /// - Throws: ``RepositoryError``; `CancellationError` only before anything was sent.
  func call(_ call: ViewerCall) async throws

  /// The values of many records; those that the repository certainly does not have are left out.
  ///
  /// A record that is there and says nothing of the data model is `null`.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue]

  /// Hands on all records of a collection, page by page: the key of each, and what it says, where that can be read.
  ///
  /// From the repository itself: the AppView lags behind it (Q21).
  /// - Parameter collection: one of ``RecordEdge/collections``.
  /// - Throws: ``RepositoryError``, `CancellationError`; what was handed on until then is not all.
  func list(_ collection: NSID, _ take: (RecordKey, RecordEdge?) -> Void) async throws
}
