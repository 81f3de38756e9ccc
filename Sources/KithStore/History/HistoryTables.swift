// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore
internal import KithHistory
internal import KithRelationships

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Reads and writes the tables of the history within a transaction.
struct HistoryTables {
  let database: Database

  // MARK: - Accounts and listings

  func id(adding account: DID) throws -> Int64 {
    if let id = try id(of: account) { return id }
    try database.cachedStatement(sql: HistoryStatements.addAccount).execute(arguments: ["did": account.data])
    return database.lastInsertedRowID
  }

  func id(of account: DID) throws -> Int64? {
    let find = try database.cachedStatement(sql: HistoryStatements.account)
    return try Int64.fetchOne(find, arguments: ["did": account.data])
  }

  func id(adding listing: HistoryListing) throws -> Int64 {
    if let id = try id(of: listing) { return id }
    let list = listing.part
    try database.execute(
      sql: HistoryStatements.addListing,
      arguments: ["actor": try id(adding: listing.actor), "side": listing.side.rawValue, "list": list])
    return try id(of: listing) ?? 0
  }

  func id(of listing: HistoryListing) throws -> Int64? {
    let list = listing.part
    return try Int64.fetchOne(
      database, sql: HistoryStatements.listing,
      arguments: ["did": listing.actor.data, "side": listing.side.rawValue, "list": list])
  }

  func listings(of actor: DID?) throws -> [HistoryListing] {
    try Row.fetchAll(database, sql: HistoryStatements.listings, arguments: ["did": actor?.data])
      .compactMap(HistoryListing.init)
  }

  // MARK: - Snapshots

  func lastSnapshot(of listing: HistoryListing, _ id: Int64) throws -> Snapshot? {
    try Row.fetchOne(database, sql: HistoryStatements.last, arguments: ["listing": id]).flatMap {
      Snapshot($0, of: listing)
    }
  }

  func begin(
    _ listing: HistoryListing, _ id: Int64, from appview: String? = nil, after previous: Snapshot?,
    at now: Instant
  ) throws -> Snapshot {
    let full = try Row.fetchOne(database, sql: HistoryStatements.lastFull, arguments: ["listing": id])?
      .time("started_at")
    let snapshot = Snapshot(
      id: try nextNumber(), listing: listing, from: appview, startedAt: now, previousAt: previous?.startedAt,
      previousFullAt: full)
    try database.execute(
      sql: HistoryStatements.begin,
      arguments: [
        "id": snapshot.id.number, "listing": id, "now": now.databaseValue,
        "previous": previous?.startedAt.databaseValue, "full": full?.databaseValue, "appview": appview,
      ])
    return snapshot
  }

  func nextNumber() throws -> ObservationID {
    let next = try database.cachedStatement(sql: HistoryStatements.nextNumber)
    return ObservationID(number: try Int64.fetchOne(next) ?? 1)
  }

  func snapshots(of listing: HistoryListing) throws -> [Snapshot] {
    guard let id = try id(of: listing) else { return [] }
    return try Row.fetchAll(database, sql: HistoryStatements.snapshots, arguments: ["listing": id])
      .compactMap { Snapshot($0, of: listing) }
  }

  // MARK: - Taking one

  func add(_ edges: [HistoryEdge], to snapshot: ObservationID, of listing: Int64) throws -> [DID] {
    let held = try database.cachedStatement(sql: HistoryStatements.held)
    let see = try database.cachedStatement(sql: HistoryStatements.see)
    let seeKey = try database.cachedStatement(sql: HistoryStatements.seeKey)
    let add = try database.cachedStatement(sql: HistoryStatements.add)
    let addKey = try database.cachedStatement(sql: HistoryStatements.addKey)
    let addFurther = try database.cachedStatement(sql: HistoryStatements.addFurther)
    var new: [DID] = []
    for edge in edges {
      let (did, rkey) = (edge.account.data, edge.rkey?.databaseValue)
      let account = try Int64.fetchOne(held, arguments: [did, listing])
      if let account {
        try see.execute(arguments: [snapshot.number, account, rkey])
      } else {
        try add.execute(arguments: [snapshot.number, did, rkey])
      }
      let isFirst = database.changesCount > 0
      if isFirst, account == nil { new.append(edge.account) }
      guard !isFirst, let rkey else { continue }
      if let account {
        try seeKey.execute(arguments: [snapshot.number, account, rkey])
      } else {
        try addKey.execute(arguments: [snapshot.number, did, rkey])
      }
      if database.changesCount == 0 { try addFurther.execute(arguments: [snapshot.number, did, rkey]) }
    }
    return new
  }

  func missing(
    from snapshot: ObservationID, of listing: Int64, after account: DID?, most: Int
  ) throws -> [HistoryEdge] {
    try Row.fetchAll(
      database, sql: HistoryStatements.missing,
      arguments: ["snapshot": snapshot.number, "listing": listing, "after": account?.data, "most": most]
    ).compactMap(HistoryEdge.init)
  }

  func lose(_ losses: [HistoryLoss], in snapshot: ObservationID) throws {
    let lose = try database.cachedStatement(sql: HistoryStatements.lose)
    for loss in losses {
      try lose.execute(arguments: [
        "snapshot": snapshot.number, "did": loss.account.data, "cause": loss.cause.rawValue,
        "evidence": loss.evidence.description,
      ])
    }
  }

  func withhold(_ accounts: [DID], in snapshot: ObservationID) throws {
    let withhold = try database.cachedStatement(sql: HistoryStatements.withhold)
    for account in accounts {
      try withhold.execute(arguments: ["snapshot": snapshot.number, "did": account.data])
    }
  }

  func withheld(of listing: Int64) throws -> Set<DID> {
    let rows = try Row.fetchAll(
      database, sql: HistoryStatements.withheld, arguments: ["listing": listing])
    return Set(rows.compactMap { DID($0, "did") })
  }

  func finish(_ draft: Snapshot, of listing: Int64, after previous: Snapshot?) throws -> Snapshot {
    var snapshot = draft
    let place: StatementArguments = [
      "snapshot": snapshot.id.number, "listing": listing, "start": snapshot.startedAt.databaseValue,
      "end": snapshot.endedAt?.databaseValue,
    ]
    let isFollowed = try self.isFollowed(listing)
    try database.execute(sql: HistoryStatements.addAccounts, arguments: place)
    if try isFollowed && !hasOpenGap(listing) {
      try database.execute(sql: HistoryStatements.keepFormerKeys, arguments: place)
    }
    try database.execute(sql: HistoryStatements.setKeys, arguments: place)
    try database.execute(sql: HistoryStatements.openIntervals, arguments: place)
    let new = database.changesCount
    try database.execute(sql: HistoryStatements.addReasons, arguments: place)
    try database.execute(sql: HistoryStatements.closeIntervals, arguments: place)
    snapshot.counts.lost = database.changesCount
    snapshot.counts.gained = snapshot.isBaseline ? 0 : new
    snapshot.counts.listed =
      try hasEvents(since: previous?.id)
      ? Int.fetchOne(database, sql: HistoryStatements.countListed, arguments: ["listing": listing]) ?? 0
      : (previous?.counts.listed ?? 0) + new - snapshot.counts.lost
    try keepRecords(of: snapshot, place, isFollowed: isFollowed)
    // An incremental snapshot does not look for accounts that are missing.
    if snapshot.extent == .full {
      try database.execute(sql: HistoryStatements.forgetWithheld, arguments: ["listing": listing])
      try database.execute(sql: HistoryStatements.keepWithheld, arguments: place)
    }
    try end(snapshot)
    return snapshot
  }

  private func hasEvents(since observation: ObservationID?) throws -> Bool {
    try Row.fetchOne(
      database, sql: HistoryStatements.hasEventsSince, arguments: ["id": observation?.number ?? 0]) != nil
  }

  /// Records how a snapshot ended, and clears its staging tables.
  func end(_ snapshot: Snapshot) throws {
    let counts = snapshot.counts
    try database.execute(
      sql: HistoryStatements.end,
      arguments: [
        "snapshot": snapshot.id.number, "state": snapshot.state.rawValue, "extent": snapshot.extent?.rawValue,
        "now": snapshot.endedAt?.databaseValue, "counted": counts.counted, "listed": counts.listed,
        "gained": counts.gained,
        "lost": counts.lost, "unconfirmed": counts.unconfirmed, "doubted": counts.doubted,
        "note": snapshot.note,
      ])
    for statement in HistoryStatements.clear {
      try database.execute(sql: statement, arguments: ["snapshot": snapshot.id.number])
    }
  }

  // MARK: - Observations from elsewhere

  func add(_ past: PastHistory) throws {
    for (actor, samples) in past.counts {
      for counts in samples { try record(CountSample(at: counts.at, counts.value), of: actor) }
    }
    for snapshot in past.snapshots { try add(snapshot) }
  }

  /// Whether anything was observed of an actor.
  func isKnown(_ actor: DID) throws -> Bool {
    try !listings(of: actor).isEmpty || !counts(of: actor, since: .distantPast).isEmpty
  }

  private func add(_ seen: PastHistory.Snapshot) throws {
    let id = try id(adding: seen.listing)
    let previous = try lastSnapshot(of: seen.listing, id)
    var snapshot = try begin(seen.listing, id, after: previous, at: seen.at)
    _ = try add(seen.listed, to: snapshot.id, of: id)
    try lose(seen.losses, in: snapshot.id)
    (snapshot.state, snapshot.extent, snapshot.endedAt) = (.complete, .full, seen.at)
    snapshot.counts.counted = seen.counted
    _ = try finish(snapshot, of: id, after: previous)
  }

  // MARK: - Learning more

  func learn(_ edges: [HistoryEdge], of listing: HistoryListing) throws {
    guard let id = try id(of: listing) else { return }
    let learn = try database.cachedStatement(sql: HistoryStatements.learn)
    for edge in edges {
      guard let rkey = edge.rkey else { continue }
      try learn.execute(arguments: [id, edge.account.data, rkey.databaseValue])
    }
  }

  func record(_ sample: AccountSample, of snapshot: ObservationID) throws {
    try database.execute(
      sql: HistoryStatements.addSample, arguments: ["snapshot": snapshot.number, "sample": sample.largest])
  }

  // MARK: - Reading

  func changes(
    of listing: HistoryListing, before observation: ObservationID?, most: Int
  ) throws -> [Observation] {
    guard let id = try id(of: listing) else { return [] }
    let arguments: StatementArguments = ["listing": id, "before": observation?.number, "most": most]
    let snapshots = try Row.fetchAll(
      database, sql: HistoryStatements.snapshotsWithChanges, arguments: arguments
    ).compactMap { Snapshot($0, of: listing)?.ofLosses }
    let events = try Row.fetchAll(database, sql: HistoryStatements.events, arguments: arguments)
      .map { Observation(event: $0) }
    return Array((snapshots + events).sorted { $0.id > $1.id }.prefix(most))
  }

  func intervals(of listing: HistoryListing, after account: DID?, most: Int) throws -> [HistoryInterval] {
    try intervals(of: listing, by: HistoryStatements.intervalsOfAll, ["after": account?.data, "most": most])
  }

  func intervals(
    of listing: HistoryListing, in observations: ClosedRange<ObservationID>
  ) throws -> [HistoryInterval] {
    try [HistoryStatements.intervalsBegun, HistoryStatements.intervalsEnded].flatMap { statement in
      try intervals(
        of: listing, by: statement,
        ["from": observations.lowerBound.number, "to": observations.upperBound.number])
    }
  }

  func intervals(of listing: HistoryListing, about account: DID) throws -> [HistoryInterval] {
    try intervals(of: listing, by: HistoryStatements.intervalsOfAccount, ["did": account.data])
  }

  private func intervals(
    of listing: HistoryListing, by statement: String, _ arguments: StatementArguments
  ) throws -> [HistoryInterval] {
    guard let id = try id(of: listing) else { return [] }
    var seen: [Int64: (ofGains: Observation, ofLosses: Observation)] = [:]
    func observation(_ number: Int64) throws -> (ofGains: Observation, ofLosses: Observation)? {
      if let known = seen[number] { return known }
      seen[number] = try self.observation(number, of: listing)
      return seen[number]
    }
    return try Row.fetchAll(database, sql: statement, arguments: arguments + ["listing": id]).compactMap {
      row in
      guard let first = try observation(row["first"])?.ofGains else { return nil }
      return HistoryInterval(
        row, first: first, lostIn: try (row["lost"] as Int64?).flatMap { try observation($0)?.ofLosses })
    }
  }

  /// What a snapshot or an event saw.
  private func observation(
    _ number: Int64, of listing: HistoryListing
  ) throws -> (ofGains: Observation, ofLosses: Observation)? {
    let snapshot = try database.cachedStatement(sql: HistoryStatements.snapshot)
    if let found = try Row.fetchOne(snapshot, arguments: [number]).flatMap({ Snapshot($0, of: listing) }) {
      return found.ofGains.flatMap { gains in found.ofLosses.map { (gains, $0) } }
    }
    let event = try database.cachedStatement(sql: HistoryStatements.event)
    return try Row.fetchOne(event, arguments: [number]).map { row in
      let seen = Observation(event: row)
      return (seen, seen)
    }
  }

  func edges(
    of listing: HistoryListing, at snapshot: ObservationID, after account: DID?, most: Int
  ) throws -> [HistoryEdge] {
    guard let id = try id(of: listing) else { return [] }
    return try Row.fetchAll(
      database, sql: HistoryStatements.edges,
      arguments: ["listing": id, "snapshot": snapshot.number, "after": account?.data, "most": most]
    ).compactMap(HistoryEdge.init)
  }

  // MARK: - Forgetting

  func prune(before: Instant, interrupted: [ObservationID]) throws -> Int {
    let arguments: StatementArguments = ["before": before.databaseValue]
    try database.execute(sql: HistoryStatements.keepReturns, arguments: arguments)
    try database.execute(sql: HistoryStatements.pruneEdges, arguments: arguments)
    let forgotten = database.changesCount
    try database.execute(sql: HistoryStatements.pruneCounts, arguments: arguments)
    try database.execute(sql: HistoryStatements.pruneSegmentCounts, arguments: arguments)
    try database.execute(sql: HistoryStatements.pruneSnapshots, arguments: arguments)
    try database.execute(sql: HistoryStatements.pruneEvents, arguments: arguments)
    for statement in StreamStatements.prune { try database.execute(sql: statement, arguments: arguments) }
    for snapshot in interrupted {
      try database.execute(sql: HistoryStatements.pruneRun, arguments: ["snapshot": snapshot.number])
    }
    try forgetOrphans()
    return forgotten
  }

  func forget(_ actor: DID) throws -> Bool {
    var forgotten = 0
    for statement in [HistoryStatements.forgetListings, HistoryStatements.forgetCounts] {
      try database.execute(sql: statement, arguments: ["did": actor.data])
      forgotten += database.changesCount
    }
    try database.execute(sql: HistoryStatements.removeGoal, arguments: ["did": actor.data])
    try database.execute(sql: HistoryStatements.forgetSegmentCounts, arguments: ["did": actor.data])
    try database.execute(sql: HistoryStatements.forgetDismissals, arguments: ["did": actor.data])
    try database.execute(sql: StreamStatements.removeIdleReaders)
    try forgetOrphans()
    return forgotten > 0
  }

  private func forgetOrphans() throws {
    try database.execute(sql: HistoryStatements.forgetReasons)
    try database.execute(sql: HistoryStatements.forgetAccounts)
  }
}

// MARK: - Rows

extension DID {
  var data: Data { Data(packed) }

  init?(_ row: Row, _ column: String) {
    guard let data = row[column] as Data? else { return nil }
    self.init(packed: Array(data))
  }
}

extension RecordKey {
  /// The number of a TID takes eight bytes, its text thirteen.
  var databaseValue: DatabaseValue {
    tid.map { Int64(bitPattern: $0.bits).databaseValue } ?? description.databaseValue
  }

  init?(_ value: DatabaseValue) {
    switch value.storage {
    case .int64(let bits): self.init(tid: TID(bits: UInt64(bitPattern: bits)))
    case .string(let text): self.init(text)
    default: return nil
    }
  }
}

extension HistoryEdge {
  /// Reads the columns `did` and `rkey`.
  fileprivate init?(_ row: Row) {
    guard let account = DID(row, "did") else { return nil }
    self.init(account, rkey: RecordKey(row["rkey"] as DatabaseValue))
  }
}

extension HistoryListing {
  /// Reads the columns `did`, `side` and `list`; nil for a listing of a side that a later version added.
  init?(_ row: Row) {
    guard let actor = DID(row, "did"), let side = Side(rawValue: row["side"]) else { return nil }
    self.init(side, of: actor, part: row["list"])
  }
}

extension Observation {
  fileprivate init(event row: Row) {
    self.init(
      ObservationID(number: row["id"]), .event(stream: row["stream"]), after: row.time("at"),
      by: row.time("at"))
  }
}

extension HistoryInterval {
  fileprivate init?(_ row: Row, first: Observation, lostIn: Observation?) {
    guard let edge = HistoryEdge(row) else { return nil }
    // A cause that a later version added is read as unknown.
    let loss = lostIn.map { _ in
      HistoryLoss(
        edge.account, (row["cause"] as String?).flatMap(LossCause.init(rawValue:)) ?? .unknown,
        (row["evidence"] as String?).flatMap { Evidence($0) } ?? Evidence())
    }
    self.init(edge, first: first, lostIn: lostIn, loss: loss, isReturn: row["is_return"])
  }
}

extension Snapshot {
  fileprivate init?(_ row: Row, of listing: HistoryListing) {
    guard let state = State(rawValue: row["state"]) else { return nil }
    self.init(
      id: ObservationID(number: row["id"]), listing: listing, from: row["appview"], state: state,
      extent: (row["extent"] as String?).flatMap(Coverage.init(rawValue:)), startedAt: row.time("started_at"),
      endedAt: row.instant("ended_at"), previousAt: row.instant("previous_at"),
      previousFullAt: row.instant("previous_full_at"),
      counts: Counts(
        counted: row["counted"], listed: row["listed"], gained: row["gained"], lost: row["lost"],
        unconfirmed: row["unconfirmed"], doubted: row["doubted"]),
      note: row["note"], dateSample: (row["date_sample"] as Int64?).map(AccountSample.init(largest:)))
  }
}
