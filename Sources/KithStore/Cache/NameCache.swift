// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
package import KithRelationships

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The last known names of accounts, in a file that may be deleted at any time.
///
/// Servers no longer return the name of a deleted account. At most 600 bytes per account, usually fewer than
/// 100; names not seen for two years are removed.
package struct NameCache: AccountNameStore {
  /// How long a name is kept after it was last seen.
  static let lifetime = Duration.seconds(730 * 86_400)
  /// Longer display names are cut to this.
  static let mostNameBytes = 256

  private let database: StoreDatabase

  /// Opens the file in a folder; a damaged one is replaced by a new one.
  ///
  /// - Throws: ``StoreError``.
  package init(folder: String) throws(StoreError) { database = try .cache(in: folder) }

  /// Stores the names of accounts; accounts without a valid handle are skipped.
  ///
  /// - Parameter now: The current time.
  /// - Throws: ``StoreError``.
  package func remember(_ views: [AccountView], at now: Instant) async throws {
    // A broken handle does not identify an account.
    let named = views.filter { $0.handle.map { !$0.isInvalid } ?? false }
    guard !named.isEmpty else { return }
    try await database.write { database in
      for view in named {
        if let handle = view.handle {
          try Self.remember(view.account, handle, view.displayName, at: now, in: database)
        }
      }
    }
  }

  /// Stores the names of an account, and the handle that it had before.
  static func remember(
    _ account: DID, _ handle: Handle, _ displayName: String?, at now: Instant, in database: Database
  ) throws {
    let did = Data(account.packed)
    try database.cachedStatement(sql: CacheStatements.rememberFormer)
      .execute(arguments: ["did": did, "handle": handle.description])
    try database.cachedStatement(sql: CacheStatements.remember).execute(arguments: [
      "did": did, "handle": handle.description, "name": displayName?.shortened(toBytes: mostNameBytes),
      "now": now.databaseValue,
    ])
  }

  /// Returns the known names of the accounts.
  ///
  /// - Throws: ``StoreError``.
  package func names(of accounts: [DID]) async throws -> [DID: AccountView] {
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

  /// Returns the accounts whose handle or display name begins with a text, without regard to the case of ASCII letters.
  ///
  /// - Throws: ``StoreError``.
  package func accounts(beginningWith text: String, most: Int) async throws -> [DID] {
    var pattern = ""
    for character in text {
      if character == "%" || character == "_" || character == "\\" { pattern.append("\\") }
      pattern.append(character)
    }
    pattern += "%"
    return try await database.read { [pattern] database in
      try Data.fetchAll(
        database, sql: CacheStatements.beginning, arguments: ["text": pattern, "most": most]
      ).compactMap { DID(packed: Array($0)) }
    }
  }

  /// Returns the account last known to have a handle, even if it has another one now; nil if none is known.
  /// Scans the whole table.
  ///
  /// - Throws: ``StoreError``.
  package func account(lastKnownAs handle: Handle) async throws -> DID? {
    try await database.read { database in
      try Data.fetchOne(database, sql: CacheStatements.account, arguments: ["handle": handle.description])
        .flatMap { DID(packed: Array($0)) }
    }
  }

  /// Removes names not seen for their lifetime.
  ///
  /// - Throws: ``StoreError``.
  package func prune(at now: Instant) async throws {
    let before = now - Self.lifetime
    try await database.write { database in
      for sql in [CacheStatements.prune, CacheStatements.pruneFormer] {
        try database.execute(sql: sql, arguments: [before.databaseValue])
      }
    }
  }
}
