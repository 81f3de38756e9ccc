// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithClient
package import KithCore

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// Handles and DID documents in a file that may be deleted at any time; saves later processes the lookups.
///
/// Opens the file on first use; if that fails, nothing is cached. Holds at most 65,536 handles and 16,384
/// documents, about 20 MB; expired entries are removed to make room.
package actor IdentityCache: IdentityStore {
  private static let mostHandles = 65_536
  private static let mostDocuments = 16_384
  /// A document longer than this is not cached; real ones are many times shorter.
  private static let mostDocumentBytes = 4_096

  private let folder: String
  private let appview: String
  private let directory: String
  private let lifetime: Duration
  private var isOpened = false
  private var database: StoreDatabase?
  private var room = (handles: 0, documents: 0)

  /// - Parameters:
  ///   - appview: The service that handles are resolved with; entries of another one belong to another
  ///     network.
  ///   - directory: The directory that documents are fetched from.
  ///   - lifetime: How long entries are kept; readers may ask for younger ones.
  package init(
    folder: String, appview: ServiceURL, directory: ServiceURL, lifetime: Duration = .seconds(86_400)
  ) {
    self.folder = folder
    self.appview = appview.description
    self.directory = directory.description
    self.lifetime = lifetime
  }

  package func accounts(
    of handles: [Handle], askedWithin time: ClosedRange<Instant>
  ) async -> [Handle: ResolvedHandle] {
    guard let database = await opened(at: time.upperBound) else { return [:] }
    let found = try? await database.read { [appview] database in
      let statement = try database.cachedStatement(sql: CacheStatements.handle)
      var found: [Handle: ResolvedHandle] = [:]
      for handle in handles {
        let row = try Row.fetchOne(
          statement,
          arguments: [
            appview, handle.description, time.lowerBound.databaseValue, time.upperBound.databaseValue,
          ])
        guard let row, let did = DID(packed: Array(row[0] as Data)) else { continue }
        found[handle] = ResolvedHandle(did, displayName: row[1])
      }
      return found
    }
    return found ?? [:]
  }

  package func document(of did: DID, askedWithin time: ClosedRange<Instant>) async -> DIDDocument? {
    guard let database = await opened(at: time.upperBound) else { return nil }
    let bytes = try? await database.read { [directory] database in
      try Data.fetchOne(
        try database.cachedStatement(sql: CacheStatements.document),
        arguments: [
          directory, Data(did.packed), time.lowerBound.databaseValue, time.upperBound.databaseValue,
        ])
    }
    guard let bytes else { return nil }
    return try? JSONCoding.decode(DIDDocument.self, from: Array(bytes))
  }

  package func keep(_ accounts: [Handle: ResolvedHandle], at now: Instant) async {
    guard let database = await opened(at: now), room.handles >= accounts.count else { return }
    room.handles -= accounts.count
    try? await database.write { [appview] database in
      let statement = try database.cachedStatement(sql: CacheStatements.keepHandle)
      for (handle, account) in accounts {
        try statement.execute(arguments: [
          appview, handle.description, Data(account.did.packed),
          account.displayName?.shortened(toBytes: NameCache.mostNameBytes), now.databaseValue,
        ])
        // Tables show the handle later, also where only the DID is known.
        try NameCache.remember(account.did, handle, account.displayName, at: now, in: database)
      }
    }
  }

  package func keep(_ document: DIDDocument, at now: Instant) async {
    guard let database = await opened(at: now), room.documents > 0,
      let bytes = try? JSONCoding.encode(document), bytes.count <= Self.mostDocumentBytes
    else { return }
    room.documents -= 1
    try? await database.write { [directory] database in
      try database.cachedStatement(sql: CacheStatements.keepDocument)
        .execute(arguments: [directory, Data(document.id.packed), Data(bytes), now.databaseValue])
    }
  }

  /// Returns the file, after removing expired entries; nil if it cannot be used.
  private func opened(at now: Instant) async -> StoreDatabase? {
    if isOpened { return database }
    isOpened = true
    guard let database = try? StoreDatabase.cache(in: folder) else { return nil }
    self.database = database
    let oldest = (now - lifetime).databaseValue
    let counts = try? await database.write { database in
      try database.execute(sql: CacheStatements.pruneHandles, arguments: [oldest])
      try database.execute(sql: CacheStatements.pruneDocuments, arguments: [oldest])
      return (
        try Int.fetchOne(database, sql: CacheStatements.countHandles) ?? 0,
        try Int.fetchOne(database, sql: CacheStatements.countDocuments) ?? 0
      )
    }
    guard let counts else { return database }
    room = (Self.mostHandles - counts.0, Self.mostDocuments - counts.1)
    return database
  }
}
