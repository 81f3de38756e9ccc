// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithHistory
import KithRelationships
import KithStore

/// Measures how events of a stream come into a history: 10,000 followed listings with 100 members each.
enum StreamBench {
  static let listings = 10_000
  static let members = 100
  static let batch = 1_000
  static let rounds = 20

  static func run(in folder: String) async throws {
    let store = SQLiteHistoryStore(try StoreDatabase(folder: folder, .history))
    let followed = (0..<listings).map { HistoryListing(.followers, of: HistoryBench.did(-$0 - 2)) }
    let start = Instant(secondsSinceEpoch: 1_760_000_000)
    func cursor(_ number: Int) -> StreamCursor {
      StreamCursor(host: "jetstream.test", sequence: Int64(number), at: start + .milliseconds(number))
    }
    let reader = try await store.follow(followed, from: cursor(0))
    var number = 0
    func event(_ kind: (RecordKey) -> HistoryEvent.Kind) -> HistoryEvent {
      number += 1
      return HistoryEvent(kind(key(number, start)), at: start + .milliseconds(number))
    }
    // Half of the members follow several of the accounts.
    func member(_ index: Int) -> DID { HistoryBench.did(index % 500_000) }
    let filling = try await measure {
      for first in stride(from: 0, to: listings * members, by: batch) {
        let events = (first..<first + batch).map { index in
          event { .made(member(index), $0, on: followed[index % listings]) }
        }
        try await store.observe(events, upTo: cursor(number), by: reader)
      }
    }
    let made = number
    var mixed = Duration.zero
    for round in 0..<rounds {
      var events: [HistoryEvent] = []
      for index in 0..<batch {
        let old = (round * batch + index) * 37 % made
        switch index % 10 {
        case 0..<5:
          events.append(event { .made(HistoryBench.did(600_000 + number), $0, on: followed[old % listings]) })
        case 5, 6: events.append(event { _ in .deleted(key(old + 1, start), in: .follow, by: member(old)) })
        case 7: events.append(event { .deleted($0, in: .follow, by: HistoryBench.did(2_000_000 + number)) })
        case 8: events.append(event { .deleted($0, in: .follow, by: member(old)) })
        default: events.append(event { _ in .hidden(member(old), .deactivated) })
        }
      }
      mixed += try await measure { try await store.observe(events, upTo: cursor(number), by: reader) }
    }
    print("streams, \(listings) listings with \(members) members each")
    print("  CPU of \(batch) follows          \(filling / (listings * members / batch))")
    print("  CPU of \(batch) mixed events     \(mixed / rounds)")
  }

  private static func key(_ number: Int, _ start: Instant) -> RecordKey {
    RecordKey(tid: TID(at: start + .milliseconds(number), clockID: 0))
  }

  /// The CPU time of the process.
  private static func measure(_ body: () async throws -> Void) async rethrows -> Duration {
    let before = clock()
    try await body()
    return .microseconds(Int64(clock() - before) * 1_000_000 / Int64(CLOCKS_PER_SEC))
  }
}
