// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport

@testable import KithHistory

/// Events of a stream of numbered accounts, and what a history makes of them. Account 0 is watched.
final class StreamScene {
  let store = InMemoryHistoryStore()
  let listings: [HistoryListing]
  var interpreter: StreamInterpreter
  private var reader: StreamReaderID?

  static let actor = Accounts.did(0)
  static let followers = HistoryListing(.followers, of: actor)
  static let follows = HistoryListing(.follows, of: actor)
  static let blocks = HistoryListing(.blocks, of: actor)

  init(_ listings: [HistoryListing] = [followers, follows, blocks]) {
    self.listings = listings
    interpreter = StreamInterpreter(of: listings)
  }

  static func event(_ kind: JetstreamEvent.Kind, of account: Int, at moment: Int) -> JetstreamEvent {
    let cursor = StreamCursor(host: "one.test", sequence: Int64(moment), at: Instant(moment))
    return JetstreamEvent(kind, of: Accounts.did(account), cursor: cursor)
  }

  /// Tells events, and returns what they changed and what the interpreter could not decide.
  @discardableResult
  func tell(
    _ events: JetstreamEvent...
  ) async throws -> (changes: [String], doubts: [StreamDoubt.Kind], unresolved: Int) {
    try await tell(events)
  }

  @discardableResult
  func tell(
    _ events: [JetstreamEvent]
  ) async throws -> (changes: [String], doubts: [StreamDoubt.Kind], unresolved: Int) {
    var reading = StreamInterpreter.Reading()
    for event in events { interpreter.read(event, into: &reading) }
    let cursor = StreamCursor(host: "one.test", sequence: nil, at: events.last?.at ?? .epoch)
    let reader: StreamReaderID
    if let known = self.reader {
      reader = known
    } else {
      reader = await store.follow(listings, from: StreamCursor(host: "one.test", sequence: 0, at: .epoch))
    }
    self.reader = reader
    let found = try await store.observe(reading.events, upTo: cursor, by: reader)
    return (found.changes.map { $0.change.told }, reading.doubts.map(\.kind), found.unresolved.count)
  }

  /// The numbers of the accounts on a listing.
  func listed(_ listing: HistoryListing = followers) async -> Set<Int> {
    let open = await store.intervals(of: listing, after: nil, most: .max).filter { $0.lostIn == nil }
    return Set(open.map { number(of: $0.edge.account) })
  }
}

/// The number of an account.
func number(of account: DID) -> Int { (0..<200).first { Accounts.did($0) == account } ?? -1 }

extension HistoryChange {
  /// Such as `followers 1 lost unfollowed`.
  var told: String {
    ["\(listing.side)", "\(number(of: account))", "\(kind)", loss?.cause.rawValue].compactMap(\.self)
      .joined(separator: " ")
  }
}

extension RecordKey {
  /// The TID of a time.
  init(number: Int) { self.init(tid: TID(at: Instant(number), clockID: 0)) }
}

extension JetstreamEvent {
  private static func record(_ subject: Int) -> DataValue {
    .object(["subject": .string(Accounts.did(subject).description)])
  }

  private static func commit(
    _ operation: JetstreamCommit.Operation, _ key: Int, by account: Int, _ collection: NSID, _ moment: Int?
  ) -> JetstreamEvent {
    let commit = JetstreamCommit(operation, collection, RecordKey(number: key))
    return StreamScene.event(.commit(commit), of: account, at: moment ?? key)
  }

  /// The key of a record is the time at which it is made.
  static func create(
    _ key: Int, by account: Int, of subject: Int, in collection: NSID = .follow, at moment: Int? = nil
  ) -> JetstreamEvent { commit(.create(record(subject)), key, by: account, collection, moment) }

  static func update(
    _ key: Int, by account: Int, to subject: Int, in collection: NSID = .follow, at moment: Int
  ) -> JetstreamEvent { commit(.update(record(subject)), key, by: account, collection, moment) }

  static func delete(
    _ key: Int, by account: Int, in collection: NSID = .follow, at moment: Int
  ) -> JetstreamEvent { commit(.delete, key, by: account, collection, moment) }

  static func account(_ account: Int, _ status: String?, at moment: Int) -> JetstreamEvent {
    let state = JetstreamAccountState(isActive: status == nil, status: status)
    return StreamScene.event(.account(state), of: account, at: moment)
  }

  static func identity(_ account: Int, _ handle: Handle?, at moment: Int) -> JetstreamEvent {
    StreamScene.event(.identity(handle), of: account, at: moment)
  }

  static func sync(_ account: Int, at moment: Int) -> JetstreamEvent {
    StreamScene.event(.sync, of: account, at: moment)
  }
}
