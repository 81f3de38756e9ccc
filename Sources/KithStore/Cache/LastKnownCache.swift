// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import KithCore
public import KithRelationships

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// The last known relationships, in a file that may be deleted at any time.
///
/// About 100 bytes per relationship; an edge is stored as its record key if that is enough. Mutes are
/// private, so only the owner can read the file.
public struct LastKnownCache: LastKnownRelationships {
  private let database: StoreDatabase

  /// Opens the file in a folder; a damaged one is replaced by a new one.
  ///
  /// - Throws: ``StoreError``.
  public init(folder: String) throws(StoreError) { database = try .cache(in: folder) }

  public func relationships(checkedSince moment: Datetime, atMost count: Int) async -> [RelationshipInfo] {
    let found = try? await database.write { database in
      let oldest = moment.instant.databaseValue
      try database.execute(sql: CacheStatements.pruneRelationships, arguments: [oldest])
      try database.execute(sql: CacheStatements.pruneToNewest, arguments: [max(0, count - 1)])
      return try Row.fetchAll(database, sql: CacheStatements.relationships, arguments: [oldest, count])
        .compactMap(Self.relationship)
    }
    return found ?? []
  }

  public func keep(_ relationships: [RelationshipInfo]) async {
    try? await database.write { database in
      let statement = try database.cachedStatement(sql: CacheStatements.keepRelationship)
      for info in relationships {
        try statement.execute(arguments: [
          Data(info.actor.packed), Data(info.target.packed),
          Self.text(of: info.following, .follow, info.actor),
          Self.text(of: info.followedBy, .follow, info.target),
          Self.text(of: info.blocking, .block, info.actor),
          Self.text(of: info.blockedBy, .block, info.target), info.blockingByList?.description,
          info.blockedByList?.description, info.muted, info.checkedAt.instant.databaseValue,
        ])
      }
    }
  }

  public func remove(_ pairs: [(DID, DID)]) async {
    try? await database.write { database in
      let statement = try database.cachedStatement(sql: CacheStatements.forgetPair)
      for (one, other) in pairs {
        try statement.execute(arguments: [Data(one.packed), Data(other.packed)])
        try statement.execute(arguments: [Data(other.packed), Data(one.packed)])
      }
    }
  }

  public func removeAll() async {
    try? await database.write { try $0.execute(sql: CacheStatements.forgetRelationships) }
  }

  private static func relationship(_ row: Row) -> RelationshipInfo? {
    guard let actor = DID(packed: Array(row[0] as Data)), let target = DID(packed: Array(row[1] as Data))
    else {
      return nil
    }
    return RelationshipInfo(
      actor: actor, target: target, following: uri(row[2], .follow, actor),
      followedBy: uri(row[3], .follow, target),
      blocking: uri(row[4], .block, actor), blockedBy: uri(row[5], .block, target),
      blockingByList: (row[6] as String?).flatMap { ATURI($0) },
      blockedByList: (row[7] as String?).flatMap { ATURI($0) }, muted: row[8],
      checkedAt: Datetime(at: Instant(microsecondsSinceEpoch: row[9])), source: .cache)
  }

  /// The record key, if the record is in the collection of such edges in the owner's repository; else the
  /// whole AT-URI.
  private static func text(of uri: ATURI?, _ edge: Edge, _ owner: DID) -> String? {
    guard let text = uri?.description else { return nil }
    let place = edge.place(in: owner)
    return text.hasPrefix(place) ? String(text.dropFirst(place.count)) : text
  }

  private static func uri(_ text: String?, _ edge: Edge, _ owner: DID) -> ATURI? {
    text.flatMap { ATURI($0.hasPrefix("at://") ? $0 : edge.place(in: owner) + $0) }
  }

  private enum Edge: String {
    case follow, block

    /// The part of the AT-URI before the record key.
    func place(in owner: DID) -> String { "at://\(owner)/app.bsky.graph.\(rawValue)/" }
  }
}
