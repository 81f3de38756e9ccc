// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
import KithRelationships

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// The names that the lists of signed-in accounts had when they were last read, in a file that may be deleted at any time.
package struct ListNameCache: ListNameStore {
  private let database: StoreDatabase

  /// Opens the file in a folder; one that is damaged is made new.
  ///
  /// - Throws: ``StoreError``.
  package init(folder: String) throws(StoreError) { database = try .cache(in: folder) }

  /// Replaces what is known of an account's lists.
  ///
  /// - Throws: ``StoreError``.
  package func replace(_ lists: [(uri: ATURI, name: String)], of owner: DID) async throws {
    try await database.write { database in
      try database.execute(sql: CacheStatements.forgetLists, arguments: [Data(owner.packed)])
      for list in lists {
        try database.execute(
          sql: CacheStatements.keepList, arguments: [Data(owner.packed), list.uri.description, list.name])
      }
    }
  }

  /// The names of all lists, each once, in alphabetical order.
  ///
  /// - Throws: ``StoreError``.
  package func names() async throws -> [String] {
    try await database.read { try String.fetchAll($0, sql: CacheStatements.listNames) }
  }

  /// The name of each list.
  ///
  /// - Throws: ``StoreError``.
  package func namesByList() async throws -> [ATURI: String] {
    try await database.read { database in
      var names: [ATURI: String] = [:]
      for row in try Row.fetchAll(database, sql: CacheStatements.listsWithNames) {
        if let list = ATURI(row[0] as String) { names[list] = row[1] }
      }
      return names
    }
  }
}
