// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import GRDB
public import Relationships

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The names that accounts had when they were last seen, in a file that may be deleted at any time.
///
/// Of an account that is gone no server tells the name any more. At most 600 bytes an account, mostly fewer than 100;
/// what was not seen for two years is forgotten.
public struct NameCache: Sendable {
  /// How long a name is kept that nobody has seen again.
  public static let lifetime = Duration.seconds(730 * 86_400)
  /// A longer display name is cut.
  static let mostNameBytes = 256

  private let database: StoreDatabase

  /// Opens the file in a folder; one that is damaged is made new.
  ///
  /// - Throws: ``StoreError``.
  public init(folder: String) throws(StoreError) { database = try .cache(in: folder) }

  /// Keeps the names of accounts; those without any are passed over.
  ///
  /// - Parameter now: in microseconds since 1970.
  /// - Throws: ``StoreError``.
  public func remember(_ views: [AccountView], at now: Int64) async throws {
    // A broken handle says nothing of whose it was.
    let named = views.filter { $0.handle.map { !$0.isInvalid } ?? false }
    guard !named.isEmpty else { return }
    try await database.write { database in
      let statement = try database.cachedStatement(sql: CacheStatements.remember)
      for view in named {
        try statement.execute(arguments: [
          Data(view.account.packed), view.handle?.description,
          view.displayName?.shortened(toBytes: Self.mostNameBytes), now,
        ])
      }
    }
  }

  /// The names of those accounts that are known.
  ///
  /// - Throws: ``StoreError``.
  public func names(of accounts: some Sequence<DID> & Sendable) async throws -> [DID: AccountView] {
    try await database.read { database in
      let statement = try database.cachedStatement(sql: CacheStatements.name)
      var found: [DID: AccountView] = [:]
      for account in accounts {
        guard let row = try Row.fetchOne(statement, arguments: [Data(account.packed)]) else { continue }
        found[account] = AccountView(account, handle: Handle(row[0] as String), displayName: row[1])
      }
      return found
    }
  }

  /// The account that had a handle when it was last seen; nil where none is known. Looks at all of them.
  ///
  /// - Throws: ``StoreError``.
  public func account(lastKnownAs handle: Handle) async throws -> DID? {
    try await database.read { database in
      try Data.fetchOne(database, sql: CacheStatements.account, arguments: [handle.description])
        .flatMap { DID(packed: Array($0)) }
    }
  }

  /// Forgets names that were not seen since a time, in microseconds since 1970.
  ///
  /// - Throws: ``StoreError``.
  public func prune(before: Int64) async throws {
    try await database.write { try $0.execute(sql: CacheStatements.prune, arguments: [before]) }
  }
}
