// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore
public import KithHistory
public import KithRelationships
public import KithWriting

/// Where a workspace keeps what it has to remember. Each is opened when it is needed: a question needs no journal.
public struct Stores: Sendable {
  /// What happens if a store does not exist yet.
  package enum Absence: Sendable {
    /// It is created.
    case create
    /// There is none; neither file nor folder is created.
    case leave
  }

  /// The sessions of signed-in accounts.
  package var sessions: @Sendable () throws -> any SessionStore
  /// The servers and DIDs of earlier sign-ins; nil if a sign-in is not compared with them.
  package var knownAccounts: (@Sendable () throws -> KnownAccounts)?
  /// The journal of all jobs; nil if it does not exist and is not created.
  package var journal: @Sendable (Absence) throws -> (any JobStore)?
  /// The history; nil if it does not exist and is not created.
  package var history: @Sendable (Absence) throws -> (any HistoryStore)?
  /// What can be fetched again; nil if nothing of it is used.
  package var cache: Cache?

  package typealias Cache = AnswerCache

  /// The stores of an app, which are open as long as it runs.
  ///
  /// - Parameters:
  ///   - sessions: keeps signed-in accounts.
  ///   - journal: records changes before they are sent.
  ///   - history: keeps snapshots and counts.
  ///   - knownAccounts: a folder that records where accounts signed in before, to notice that a name leads elsewhere;
  ///     nil if that is not compared.
  ///   - cache: keeps what can be fetched again, such as names and own records; nil to keep nothing of it.
  public init(
    sessions: any SessionStore, journal: Journal, history: any HistoryStore, knownAccounts: String? = nil,
    cache: AnswerCache? = nil
  ) {
    self.init(
      sessions: { sessions },
      knownAccounts: knownAccounts.map { path in { @Sendable in KnownAccounts(path: path) } },
      journal: { _ in journal.store }, history: { _ in history }, cache: cache)
  }

  package init(
    sessions: @escaping @Sendable () throws -> any SessionStore,
    knownAccounts: (@Sendable () throws -> KnownAccounts)?,
    journal: @escaping @Sendable (Absence) throws -> (any JobStore)?,
    history: @escaping @Sendable (Absence) throws -> (any HistoryStore)?, cache: Cache? = nil
  ) {
    self.sessions = sessions
    self.knownAccounts = knownAccounts
    self.journal = journal
    self.history = history
    self.cache = cache
  }
}
