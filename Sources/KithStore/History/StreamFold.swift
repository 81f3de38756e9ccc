// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithClient
internal import KithCore
internal import KithHistory
internal import KithRelationships

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Applies a batch of events to the tables, within one transaction.
///
/// What a batch asks for twice is read once.
struct StreamFold {
  private let tables: HistoryTables
  private let reader: StreamReaderID
  private let stream: String
  private(set) var observed = ObservedEvents()

  /// A listing by its number; nil if the reader does not follow it.
  private var listings: [Int64: HistoryListing?] = [:]
  /// The number of a listing; nil if the reader does not follow it.
  private var followed: [HistoryListing: Int64?] = [:]
  private var accounts: [DID: Int64] = [:]
  private var known: [Place: ListedAccount] = [:]

  /// An account on a listing, by their numbers.
  private struct Place: Hashable { let listing, account: Int64 }

  private var database: Database { tables.database }

  /// Moves the reader to the place behind the events.
  init(_ tables: HistoryTables, upTo cursor: StreamCursor, by reader: StreamReaderID) throws {
    (self.tables, self.reader, stream) = (tables, reader, cursor.host)
    try tables.move(reader, to: cursor)
  }

  mutating func apply(_ events: [HistoryEvent]) throws {
    for (index, event) in events.enumerated() {
      try apply(event, index, next: events.indices.contains(index + 1) ? events[index + 1] : nil)
    }
  }

  private mutating func apply(_ event: HistoryEvent, _ index: Int, next: HistoryEvent?) throws {
    let moment = event.at
    switch event.kind {
    case .made(let account, let key, let listing):
      try change(account, on: listing, event, index) { $0.made(key, at: moment) }
    case .deleted(let key, let collection, let author):
      try delete(key, collection, author, event, index, next)
    case .hidden(let account, let cause):
      try changeFollower(account, event, index) { $0.hidden(cause, at: moment) }
    case .shown(let account):
      try changeFollower(account, event, index, hiddenUntil: moment) { $0.shown({ !$0.isBlock }, at: moment) }
    case .blocked(let account, let cause, let listing):
      try change(account, on: listing, event, index) { $0.hidden(cause, at: moment) }
    case .unblocked(let account, let cause, let listing):
      try change(account, on: listing, event, index) { $0.shown({ $0 == cause }, at: moment) }
    case .purged(let account): try changeFollower(account, event, index) { $0.purged(at: moment) }
    case .lost(let loss, let listing):
      try change(loss.account, on: listing, event, index) { $0.lost(loss, at: moment) }
    case .renamed(let account, let handle):
      guard let id = try id(of: account) else { return }
      try database.cachedStatement(sql: StreamStatements.addName).execute(arguments: [
        "account": id, "at": moment.databaseValue, "handle": handle.description,
      ])
      if database.changesCount > 0 { observed.renames.append(index) }
    }
  }

  private typealias Change = (inout ListedAccount) -> ListedAccount.Step?

  // MARK: Finding what an event is about

  private mutating func change(
    _ account: DID, on listing: HistoryListing, _ event: HistoryEvent, _ index: Int, _ body: Change
  ) throws {
    guard let id = try id(of: listing) else { return }
    let number: Int64
    if let found = try self.id(of: account) {
      number = found
    } else {
      number = try tables.id(adding: account)
      accounts[account] = number
    }
    try change(Place(listing: id, account: number), account, listing, event, index, body)
  }

  private mutating func changeFollower(
    _ account: DID, _ event: HistoryEvent, _ index: Int, hiddenUntil moment: Instant? = nil, _ body: Change
  ) throws {
    guard let id = try id(of: account) else { return }
    let find = try database.cachedStatement(sql: StreamStatements.ofFollower)
    for number in try Int64.fetchAll(find, arguments: [id, reader.number, moment?.databaseValue]) {
      guard let listing = try listing(number) else { continue }
      try change(Place(listing: number, account: id), account, listing, event, index, body)
    }
  }

  private mutating func delete(
    _ key: RecordKey, _ collection: NSID, _ author: DID, _ event: HistoryEvent, _ index: Int,
    _ next: HistoryEvent?
  ) throws {
    // An author that the history does not know is neither on a listing nor has one.
    guard let id = try id(of: author) else { return }
    let find = try database.cachedStatement(sql: StreamStatements.ofRecord)
    var isKnown = false
    for row in try Row.fetchAll(find, arguments: [key.databaseValue, id]) {
      let place = Place(listing: row["listing"], account: row["account"])
      guard let listing = try listing(place.listing), listing.collection == collection,
        let account = try did(place.account), listing.author(of: account) == author
      else { continue }
      isKnown = true
      if event.isUndone(by: next, account, on: listing) { continue }
      try change(place, account, listing, event, index) {
        $0.deleted(key, at: event.at, listing.causeOfDeletion)
      }
    }
    if try !isKnown && mayConcern(id, collection) { observed.unresolved.append(index) }
  }

  /// Whether a record of an author whose key is not known may have put an account on a followed listing.
  private mutating func mayConcern(_ author: Int64, _ collection: NSID) throws -> Bool {
    let ofActor = try database.cachedStatement(sql: StreamStatements.ofActor)
    for number in try Int64.fetchAll(ofActor, arguments: [author, reader.number])
    where try listing(number)?.collection == collection { return true }
    let part = collection == .follow ? "" : collection.description
    let isOpen = try database.cachedStatement(sql: StreamStatements.hasUnknownKey)
    return try Bool.fetchOne(isOpen, arguments: [author, reader.number, part]) ?? false
  }

  private mutating func id(of account: DID) throws -> Int64? {
    if let id = accounts[account] { return id }
    let found = try tables.id(of: account)
    accounts[account] = found
    return found
  }

  private mutating func id(of listing: HistoryListing) throws -> Int64? {
    if let known = followed[listing] { return known }
    var found = try tables.id(of: listing)
    if let number = found, try self.listing(number) == nil { found = nil }
    followed[listing] = .some(found)
    return found
  }

  private mutating func listing(_ number: Int64) throws -> HistoryListing? {
    if let known = listings[number] { return known }
    let find = try database.cachedStatement(sql: StreamStatements.followedListing)
    let found = try Row.fetchOne(find, arguments: [number, reader.number]).flatMap(HistoryListing.init)
    listings[number] = .some(found)
    return found
  }

  private func did(_ account: Int64) throws -> DID? {
    let find = try database.cachedStatement(sql: HistoryStatements.did)
    return try Row.fetchOne(find, arguments: [account]).flatMap { DID($0, "did") }
  }

  // MARK: Changing it

  private mutating func change(
    _ place: Place, _ account: DID, _ listing: HistoryListing, _ event: HistoryEvent, _ index: Int,
    _ body: Change
  ) throws {
    let before = try known[place] ?? tables.known(place.account, on: place.listing)
    var after = before
    let step = body(&after)
    known[place] = after
    try write(after, over: before, at: place)
    switch step {
    case .began(let key):
      let seen = try add(event, of: place.listing)
      try database.cachedStatement(sql: StreamStatements.openInterval).execute(arguments: [
        place.listing, place.account, seen.id.number, key?.databaseValue,
      ])
      let kind: HistoryChange.Kind = before.stays.isEmpty ? .gained : .returned
      let change = HistoryChange(kind, HistoryEdge(account, rkey: key), on: listing, seen: seen)
      observed.changes.append(ObservedEvents.Change(index, change))
    case .ended(let key, let cause, let evidence):
      let seen = try add(event, of: place.listing)
      let reason: StatementArguments = [cause.rawValue, evidence.description]
      try database.cachedStatement(sql: StreamStatements.addReason).execute(arguments: reason)
      try database.cachedStatement(sql: StreamStatements.closeInterval).execute(
        arguments: [place.listing, place.account, seen.id.number] + reason)
      let change = HistoryChange(
        .lost, HistoryEdge(account, rkey: key), on: listing, loss: HistoryLoss(account, cause, evidence),
        seen: seen)
      observed.changes.append(ObservedEvents.Change(index, change))
    case .unresolved: if observed.unresolved.last != index { observed.unresolved.append(index) }
    case nil:
      // The stay has learned its key, or is of another record now.
      guard after.stays != before.stays, let last = after.stays.last else { return }
      try database.cachedStatement(sql: StreamStatements.setKey).execute(arguments: [
        place.listing, place.account, last.key?.databaseValue,
      ])
    }
  }

  private func add(_ event: HistoryEvent, of listing: Int64) throws -> Observation {
    let seen = Observation(try tables.nextNumber(), .event(stream: stream), after: event.at, by: event.at)
    try database.cachedStatement(sql: StreamStatements.addEvent).execute(arguments: [
      seen.id.number, listing, event.at.databaseValue, stream,
    ])
    return seen
  }

  private func write(_ after: ListedAccount, over before: ListedAccount, at place: Place) throws {
    for key in Set(before.records.keys).union(after.records.keys)
    where before.records[key] != after.records[key] {
      let rkey = key?.databaseValue ?? "".databaseValue
      if let record = after.records[key] {
        try database.cachedStatement(sql: StreamStatements.setRecord).execute(arguments: [
          place.listing, place.account, rkey, record.endedAt?.databaseValue,
        ])
      } else {
        try database.cachedStatement(sql: StreamStatements.removeRecord).execute(arguments: [
          place.listing, place.account, rkey,
        ])
      }
    }
    for (cause, hiding) in after.hidings where before.hidings[cause] != hiding {
      try database.cachedStatement(sql: StreamStatements.setHiding).execute(arguments: [
        place.listing, place.account, cause.rawValue, hiding.since.databaseValue,
        hiding.until?.databaseValue,
      ])
    }
  }
}
