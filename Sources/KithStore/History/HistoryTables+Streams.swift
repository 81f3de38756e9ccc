// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithClient
internal import KithCore
internal import KithHistory
internal import KithRelationships

/// What follows streams, apart from their events.
extension HistoryTables {
  // MARK: Readers

  func follow(_ listings: [HistoryListing], from cursor: StreamCursor) throws -> StreamReaderID {
    try database.execute(sql: StreamStatements.addReader, arguments: StatementArguments(cursor.columns))
    let reader = database.lastInsertedRowID
    let follow = try database.cachedStatement(sql: StreamStatements.follow)
    for listing in listings { try follow.execute(arguments: [id(adding: listing), reader]) }
    try database.execute(sql: StreamStatements.removeIdleReaders)
    return StreamReaderID(number: reader)
  }

  func unfollow(_ listings: [HistoryListing]) throws {
    let unfollow = try database.cachedStatement(sql: StreamStatements.unfollow)
    for listing in listings {
      guard let id = try id(of: listing), try isFollowed(id) else { continue }
      try unfollow.execute(arguments: [id])
      try forgetRecords(of: id)
      try database.execute(sql: StreamStatements.forgetHidings, arguments: ["listing": id])
    }
    try database.execute(sql: StreamStatements.removeIdleReaders)
  }

  func cursors(of listings: [HistoryListing]) throws -> [HistoryListing: StreamCursor] {
    let find = try database.cachedStatement(sql: StreamStatements.cursor)
    var found: [HistoryListing: StreamCursor] = [:]
    for listing in listings {
      guard let id = try id(of: listing), let row = try Row.fetchOne(find, arguments: [id]) else { continue }
      found[listing] = StreamCursor(host: row["host"], sequence: row["sequence"], at: row.time("at"))
    }
    return found
  }

  func readers(of listings: [HistoryListing]) throws -> [HistoryListing: StreamReaderID] {
    let find = try database.cachedStatement(sql: StreamStatements.reader)
    var found: [HistoryListing: StreamReaderID] = [:]
    for listing in listings {
      guard let id = try id(of: listing) else { continue }
      found[listing] = try Int64.fetchOne(find, arguments: [id]).map(StreamReaderID.init(number:))
    }
    return found
  }

  /// Moves a reader to a place.
  ///
  /// - Throws: ``HistoryError``, `replaced` if the reader no longer exists.
  func move(_ reader: StreamReaderID, to cursor: StreamCursor) throws {
    var columns = cursor.columns
    columns["reader"] = reader.number
    try database.execute(sql: StreamStatements.moveReader, arguments: StatementArguments(columns))
    if database.changesCount == 0 { throw HistoryError.replaced(reader, at: cursor.host) }
  }

  func isFollowed(_ listing: Int64) throws -> Bool {
    try Row.fetchOne(database, sql: StreamStatements.reader, arguments: [listing]) != nil
  }

  // MARK: Gaps and names

  func recordGap(of listings: [HistoryListing], since: Instant, until: Instant) throws {
    let add = try database.cachedStatement(sql: StreamStatements.addGap)
    for listing in listings {
      let id = try id(adding: listing)
      try add.execute(arguments: [
        "listing": id, "since": since.databaseValue, "until": until.databaseValue,
      ])
      try forgetRecords(of: id)
    }
  }

  func hasOpenGap(_ listing: Int64) throws -> Bool {
    try Row.fetchOne(database, sql: StreamStatements.hasOpenGap, arguments: [listing]) != nil
  }

  func gaps(of listing: HistoryListing) throws -> [HistoryGap] {
    guard let id = try id(of: listing) else { return [] }
    return try Row.fetchAll(database, sql: StreamStatements.gaps, arguments: [id]).map { row in
      HistoryGap(since: row.time("since"), until: row.time("until"), closedAt: row.instant("closed"))
    }
  }

  func names(of account: DID) throws -> [Sample<Handle>] {
    try Row.fetchAll(database, sql: StreamStatements.names, arguments: [account.data]).compactMap { row in
      Handle(row["handle"] as String).map { Sample(at: row.time("at"), $0) }
    }
  }

  // MARK: Accounts

  func standings(of account: DID) throws -> [ListingStanding] {
    guard let id = try id(of: account) else { return [] }
    let find = try database.cachedStatement(sql: StreamStatements.ofAccount)
    return try Row.fetchAll(find, arguments: [id]).compactMap { row in
      try HistoryListing(row).map { try known(id, on: row["id"]).standing(on: $0) }
    }
  }

  /// What is known of an account on a listing, by their numbers.
  func known(_ account: Int64, on listing: Int64) throws -> ListedAccount {
    let arguments: StatementArguments = [listing, account]
    var found = ListedAccount()
    found.stays = try Row.fetchAll(
      try database.cachedStatement(sql: StreamStatements.stays), arguments: arguments
    ).map { row in
      ListedAccount.Stay(
        RecordKey(row["rkey"] as DatabaseValue), seenBy: row.time("seen_by"), isOfEvent: row["is_of_event"],
        lostBy: row.instant("lost_by"), cause: (row["cause"] as String?).flatMap(LossCause.init(rawValue:)))
    }
    let records = try database.cachedStatement(sql: StreamStatements.records)
    for row in try Row.fetchAll(records, arguments: arguments) {
      found.records[RecordKey(row["rkey"] as DatabaseValue)] = ListedAccount.Record(
        endedAt: row.instant("ended"))
    }
    let hidings = try database.cachedStatement(sql: StreamStatements.hidings)
    for row in try Row.fetchAll(hidings, arguments: arguments) {
      guard let cause = LossCause(rawValue: row["cause"]) else { continue }
      found.hidings[cause] = ListedAccount.Hiding(since: row.time("since"), until: row.instant("until"))
    }
    return found
  }

  // MARK: Records

  private func forgetRecords(of listing: Int64) throws {
    try database.cachedStatement(sql: StreamStatements.forgetKeys).execute(arguments: ["listing": listing])
    try database.cachedStatement(sql: StreamStatements.forgetRecords).execute(arguments: ["listing": listing])
  }

  /// Keeps the records that no edge names in agreement with what a snapshot found.
  ///
  /// A listing that is not followed has those that its last full snapshot saw. One that is followed keeps what the stream
  /// told, because a listing of an AppView shows one record of each account; what the snapshot saw comes to it. After a
  /// gap nothing is left of that, see `recordGap`, so a full snapshot begins again. Until then, and of what it does not show,
  /// a deletion cannot be told from that of one record of several: it is reported as unresolved, and never as a loss.
  func keepRecords(of snapshot: Snapshot, _ place: StatementArguments, isFollowed: Bool) throws {
    func run(_ statement: String) throws { try database.execute(sql: statement, arguments: place) }
    if snapshot.extent == .full, !isFollowed {
      try run(StreamStatements.forgetRecords)
      try run(StreamStatements.forgetHidings)
    } else {
      try run(StreamStatements.giveKeys)
      try run(StreamStatements.removeNamedRecords)
      if isFollowed {
        try run(StreamStatements.keepHiddenKeys)
        try run(StreamStatements.keepHidings)
      }
      try run(StreamStatements.endRecords)
      try run(StreamStatements.endHidings)
    }
    try run(StreamStatements.keepFurtherKeys)
    guard snapshot.extent == .full else { return }
    try run(StreamStatements.forgetUnseenKeys)
    if snapshot.counts.unconfirmed == 0 { try run(StreamStatements.closeGaps) }
  }
}

extension StreamCursor {
  fileprivate var columns: [String: (any DatabaseValueConvertible)?] {
    ["host": host, "sequence": sequence, "at": at.microsecondsSinceEpoch]
  }
}
