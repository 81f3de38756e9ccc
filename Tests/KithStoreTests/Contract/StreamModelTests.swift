// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Random streams, compared with a model of records and with each other.
@Suite struct StreamModelTests {
  private static let accounts = 1...8

  /// What is there: the records of each account, and why it is hidden.
  private struct Model {
    var records: [Int: Set<Int>] = [:]
    var reasons: [Int: Set<LossCause>] = [:]

    var followers: Set<Int> {
      Set(records.filter { !$0.value.isEmpty && (reasons[$0.key] ?? []).isEmpty }.map(\.key))
    }
  }

  /// One random event of an account that is possible now.
  private func event(
    _ account: Int, at now: Int, _ model: inout Model, _ random: inout SeededGenerator
  ) -> HistoryEvent {
    let records = model.records[account, default: []]
    var reasons = model.reasons[account, default: []]
    defer { model.reasons[account] = reasons }
    let moment = Instant(now)
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<4 where records.count < 3 && reasons.isDisjoint(with: [.deactivated, .suspended]):
      model.records[account, default: []].insert(now)
      return .made(account, now, at: moment)
    case 4..<7:
      guard let key = records.sorted().randomElement(using: &random) else { fallthrough }
      model.records[account]?.remove(key)
      return .deleted(key, by: account, at: moment)
    case 7:
      let cause: LossCause = Bool.random(using: &random) ? .deactivated : .suspended
      // Nothing is remembered of an account of which nothing is known.
      if !records.isEmpty || !reasons.isEmpty { reasons.insert(cause) }
      return .hidden(account, cause, at: moment)
    case 8:
      reasons.subtract([.deactivated, .suspended])
      return .shown(account, at: moment)
    case 9:
      let cause: LossCause = Bool.random(using: &random) ? .blockedBy : .blocking
      reasons.insert(cause)
      return .blocked(account, cause, at: moment)
    case 10:
      let cause: LossCause = Bool.random(using: &random) ? .blockedBy : .blocking
      reasons.remove(cause)
      return .unblocked(account, cause, at: moment)
    case 11 where Int.random(in: 0..<4, using: &random) == 0:
      model.records[account] = []
      reasons.formIntersection([.blocking])
      return .purged(account, at: moment)
    default: return .deleted(1, by: account, at: moment)
    }
  }

  private func followers(_ store: any HistoryStore) async throws -> Set<DID> {
    let found = try await store.intervals(of: .followers, after: nil, most: .max)
    return Set(found.filter { $0.lostIn == nil }.map(\.edge.account))
  }

  private func story(_ store: any HistoryStore) async throws -> [String] {
    var found: [String] = []
    for account in Self.accounts {
      for change in try await History(store).changes(of: Accounts.did(0), about: Accounts.did(account)) {
        found.append(
          "\(account) \(change.kind) \(change.before.microsecondsSinceEpoch) \(change.loss?.cause.rawValue ?? "")"
        )
      }
    }
    return found.sorted()
  }

  /// Wherever the stream is cut and however far it goes back, the graph and the history are those of a stream without cuts.
  @Test(arguments: HistoryUnderTest.all, 1...5)
  func cutsLeaveNoTrace(_ history: HistoryUnderTest, seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var model = Model()
    var events: [HistoryEvent] = []
    for number in 0..<150 {
      let account = Int.random(in: Self.accounts, using: &random)
      events.append(event(account, at: 1_000 + number, &model, &random))
    }
    let (whole, cut) = (try history.makePlace().openHistory(), try history.makePlace().openHistory())
    try await TestReader(whole, .followers).tell(events)
    let reader = try await TestReader(cut, .followers)
    var (place, told) = (0, 0)
    while place < events.count {
      let end = min(events.count, place + Int.random(in: 1...20, using: &random))
      told += try await reader.tell(Array(events[place..<end])).changes.count
      // Another host may repeat a lot.
      place = end == events.count ? end : max(0, end - Int.random(in: 0...15, using: &random))
    }
    #expect(try await followers(whole) == dids(model.followers))
    #expect(try await story(cut) == story(whole))
    #expect(try await story(cut).count == told)
  }

  /// Both stores agree on events, snapshots and gaps in any order.
  @Test(arguments: 1...5)
  func storesAgree(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let places = HistoryUnderTest.all.map { $0.makePlace() }
    let stores = try places.map { try $0.openHistory() }
    var readers: [TestReader] = []
    for store in stores { readers.append(try await TestReader(store, .followers)) }
    var model = Model()
    for round in 0..<25 {
      let now = 1_000 + round * 100
      var events: [HistoryEvent] = []
      for number in 0..<12 {
        let account = Int.random(in: Self.accounts, using: &random)
        events.append(event(account, at: now + number, &model, &random))
      }
      let lost = events.dropFirst(Int.random(in: 0...24, using: &random))
      let (kept, missed) = (Array(events.prefix(events.count - lost.count)), !lost.isEmpty)
      let isFull = Bool.random(using: &random)
      let edges = model.followers.sorted().flatMap { account in
        (model.records[account] ?? []).sorted().map { key in
          HistoryEdge(Accounts.did(account), rkey: Bool.random(using: &random) ? RecordKey(number: key) : nil)
        }
      }
      let causes = Self.accounts.map { _ in LossCause.allCases.randomElement(using: &random) ?? .unknown }
      let takes = Bool.random(using: &random)
      var found: [ObservedEvents] = []
      for (store, reader) in zip(stores, readers) {
        found.append(try await reader.tell(kept))
        if missed {
          try await store.recordGap(of: [.followers], since: Instant(now), until: Instant(now + 20))
        }
        guard takes else { continue }
        let writer = try await store.begin(.followers, at: Instant(now + 30))
        _ = try await writer.add(edges)
        if isFull {
          let missing = try await writer.missing(after: nil, most: .max)
          for edge in missing {
            let cause = Self.accounts.first { Accounts.did($0) == edge.account }.map { causes[$0 - 1] }
            try await writer.lose([HistoryLoss(edge.account, cause ?? .unknown, Evidence())])
          }
        }
        _ = try await writer.finish(
          isFull ? .full : .incremental, Snapshot.Counts(), note: nil, at: Instant(now + 40))
      }
      #expect(found[0] == found[1], "round \(round)")
      let stays = [
        try await stores[0].intervals(of: .followers, after: nil, most: .max),
        try await stores[1].intervals(of: .followers, after: nil, most: .max),
      ]
      #expect(Set(stays[0]) == Set(stays[1]), "round \(round)")
      #expect(try await stores[0].gaps(of: .followers) == stores[1].gaps(of: .followers))
      let database = try #require((stores[0] as? SQLiteHistoryStore)?.database)
      #expect(try await database.check() == [], "round \(round)")
      if takes, isFull { #expect(try await followers(stores[0]) == dids(model.followers), "round \(round)") }
    }
  }
}
