// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships

/// The parts of an app that know something of its accounts, for a sign-out that leaves nothing of one behind.
///
/// ```swift
/// let memory = AccountMemory(journal: journal, relationships: service, profiles: profiles)
/// show(try await sessions.signOut(alice, forgetting: memory))
/// ```
public struct AccountMemory: Sendable {
  /// Its changes; nil if the app makes none.
  public var journal: Journal?
  /// Its relationships, with their last known ones and what is expected of them; nil for none.
  public var relationships: FollowRelationshipService?
  /// Its profiles; nil for none.
  public var profiles: ProfileService?
  /// Its own records and lists; nil for none.
  public var cache: AnswerCache?

  /// Names the parts that an app has.
  public init(
    journal: Journal? = nil, relationships: FollowRelationshipService? = nil, profiles: ProfileService? = nil,
    cache: AnswerCache? = nil
  ) {
    self.journal = journal
    self.relationships = relationships
    self.profiles = profiles
    self.cache = cache
  }

  /// Forgets an account in all parts but the journal. Answers are not those of one account, so caches of them are cleared.
  func forget(_ account: DID) async throws {
    relationships?.overlay.forget(account)
    await relationships?.clearCache()
    await relationships?.keepLastKnown()
    profiles?.clearCache()
    try await cache?.lists()?.replace([], of: account)
    if let cache, await !cache.records.forget(account) {
      throw SessionError(
        .fileTrouble, subject: account, detail: "its own records could not be removed from the cache",
        account: .did(account))
    }
  }
}

extension SessionDirectory {
  /// Signs an account out and forgets everything about it: its session, relationships, profiles, own records, jobs, and the
  /// points that it has spent.
  ///
  /// Let the changes of a ``RelationshipWriter`` of the account end first, and use neither it nor its ``ProfileService``
  /// afterwards. A call that failed can be repeated: what is gone already does not matter.
  /// - Parameters:
  ///   - memory: the parts of the app that know something of the account.
  ///   - abandonsUnfinished: whether jobs are forgotten that need the session; see
  ///     ``JobManager/forget(_:abandoningUnfinished:)``.
  /// - Returns: what became of the session; `hadEnded` if there was none.
  /// - Throws: ``JobError`` `wrongState` that names an unfinished job, or `held` while changes of the account are planned or
  ///   made: it is then still signed in, and nothing is forgotten. `SessionError`, or what the journal throws, if something
  ///   could not be removed; `CancellationError`.
  public func signOut(
    _ account: DID, forgetting memory: AccountMemory, abandoningUnfinished abandonsUnfinished: Bool = false
  ) async throws -> SignOut {
    let jobs = memory.journal.map { JobManager(journal: $0) }
    let leases = try await jobs?.claim(account, abandoningUnfinished: abandonsUnfinished) ?? []
    defer { for lease in leases { lease.release() } }
    let outcome: SignOut
    do {
      outcome = try await signOut(account)
    } catch let error as SessionError where error.code == .notSignedIn {
      outcome = .hadEnded
    }
    try await jobs?.journal.forget(account)
    try await memory.forget(account)
    return outcome
  }
}
