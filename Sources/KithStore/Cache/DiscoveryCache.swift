// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
import KithRelationships

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// What was read to find people, in a file that may be deleted at any time.
package struct DiscoveryCache: DiscoveryStore {
  /// What is older is removed.
  private static let lifetime = Duration.seconds(7 * 86_400)
  /// The most accounts whose follows are kept: about 10 MB.
  static let mostFollows = 3_000

  private let database: StoreDatabase

  /// Opens the file in a folder; one that is damaged is made new.
  ///
  /// - Throws: ``StoreError``.
  package init(folder: String) throws(StoreError) { database = try .cache(in: folder) }

  /// - Throws: ``StoreError``.
  package func follows(
    of accounts: [DID], readIn period: ClosedRange<Instant>
  ) async throws -> [DID: [DID]] {
    try await database.read { database in
      let statement = try database.cachedStatement(sql: CacheStatements.newestFollows)
      var found: [DID: [DID]] = [:]
      for account in accounts {
        if let text = try String.fetchOne(statement, arguments: Self.arguments(account, period)) {
          found[account] = text.split(separator: "\n").compactMap { DID(String($0)) }
        }
      }
      return found
    }
  }

  /// - Throws: ``StoreError``.
  package func keep(follows: [DID: [DID]], at now: Instant) async throws {
    try await database.write { database in
      for (account, members) in follows {
        try database.cachedStatement(sql: CacheStatements.keepNewestFollows).execute(arguments: [
          Data(account.packed), members.map(\.description).joined(separator: "\n"), now.databaseValue,
        ])
      }
      try database.execute(
        sql: CacheStatements.pruneNewestFollows,
        arguments: ["before": (now - Self.lifetime).databaseValue, "most": Self.mostFollows])
    }
  }

  /// - Throws: ``StoreError``.
  package func optOuts(
    of accounts: [DID], readIn period: ClosedRange<Instant>
  ) async throws -> [DID: Bool] {
    try await database.read { database in
      let statement = try database.cachedStatement(sql: CacheStatements.optOut)
      var found: [DID: Bool] = [:]
      for account in accounts {
        found[account] = try Bool.fetchOne(statement, arguments: Self.arguments(account, period))
      }
      return found
    }
  }

  /// - Throws: ``StoreError``.
  package func keep(optOuts: [DID: Bool], at now: Instant) async throws {
    try await database.write { database in
      for (account, asks) in optOuts {
        try database.cachedStatement(sql: CacheStatements.keepOptOut)
          .execute(arguments: [Data(account.packed), asks, now.databaseValue])
      }
      try database.execute(
        sql: CacheStatements.pruneOptOuts, arguments: [(now - Self.lifetime).databaseValue])
    }
  }

  private static func arguments(_ account: DID, _ period: ClosedRange<Instant>) -> StatementArguments {
    [Data(account.packed), period.lowerBound.databaseValue, period.upperBound.databaseValue]
  }
}
