// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

/// The history of an account whose snapshots were taken by a schedule.
struct ScheduledHistory {
  /// When the record keys of followers are learned.
  private enum Dates: CaseIterable {
    case never, withEachSnapshot, afterTheFirst, afterTheLast
  }

  let actor: DID
  let truth: FollowerTruth
  let schedule: SnapshotSchedule
  let store: any HistoryStore = InMemoryHistoryStore()
  private let began: Instant
  /// When the numbers are computed.
  let now: Instant
  /// The numbers of the complete snapshots of followers, with the moment at which each of them read the listing.
  private(set) var reads: [Int64: Instant] = [:]

  private let dates: Dates
  /// The followers that are asked for their keys.
  private let sample: AccountSample
  private let follows: FollowerTruth
  /// What the profile counts and no listing shows; nil if the profile shows no counts.
  let unlisted: Int?
  private(set) var numbers: SeededNumbers

  /// Takes all snapshots.
  init(seed: UInt64) async throws {
    var numbers = SeededNumbers(seed: seed)
    actor = try account(1_000_000)
    let start = Instant(1_726_000_000_000_000) + .seconds(Int.random(in: 0..<365 * 86_400, using: &numbers))
    began = start
    schedule = SnapshotSchedule(from: start, &numbers)
    let end = schedule.snapshots.last?.time.upperBound ?? start + .seconds(1)
    let longest = [3_600, 86_400, 9 * 86_400].randomElement(using: &numbers) ?? 3_600
    now = end + .seconds(Int.random(in: 1...longest, using: &numbers))
    let runs = schedule.snapshots.map(\.time)
    truth = try FollowerTruth(around: start..<end, runs: runs, &numbers)
    follows = try FollowerTruth(around: start..<end, runs: runs, &numbers)
    dates = Dates.allCases.randomElement(using: &numbers) ?? .never
    sample = Bool.random(using: &numbers) ? .all : AccountSample(2, of: 3)
    unlisted = Int.random(in: 0..<8, using: &numbers) == 0 ? nil : Int.random(in: 0...9, using: &numbers)
    self.numbers = numbers
    try await takeSnapshots()
    try await track(in: start..<now)
    if Int.random(in: 0..<4, using: &self.numbers) == 0 {
      try await store.prune(before: (start..<now).random(&self.numbers))
    }
  }

  private mutating func takeSnapshots() async throws {
    var others = (0..<([0, 0, 3, 60].randomElement(using: &numbers) ?? 0)).map { _ in
      (began..<now).random(&numbers)
    }.sorted()
    let last = schedule.snapshots.count - 1
    for (index, snapshot) in schedule.snapshots.enumerated() {
      while let other = others.first, other < snapshot.time.lowerBound {
        try await recordCounts(at: others.removeFirst())
      }
      let counted = try await recordCounts(at: snapshot.time.lowerBound, snapshot)
      guard let taken = try await takeFollowers(snapshot, counted) else { continue }
      reads[taken.id.number] = snapshot.read
      switch dates {
      case .afterTheFirst where index == 0, .afterTheLast where index == last:
        try await learnDates(of: taken, at: snapshot.read)
      default: break
      }
      if Int.random(in: 0..<3, using: &numbers) > 0 { try await takeOthers(snapshot) }
    }
    for other in others { try await recordCounts(at: other) }
  }

  // MARK: Counts

  /// Records what the profile shows, and returns the number of followers.
  @discardableResult
  private mutating func recordCounts(
    at moment: Instant, _ snapshot: SnapshotSchedule.Snapshot? = nil
  ) async throws -> Int? {
    guard let unlisted else { return nil }
    let hidden = hidden(by: snapshot)
    let followers = truth.accounts.count { $0.isListed(at: moment) } + unlisted - hidden
    let posts = Int((moment - began) / .days(1)) * 3 + Int.random(in: 0...2, using: &numbers)
    let counts = AccountView.Counts(
      followers: followers, follows: follows.accounts.count { $0.stay(at: moment) != nil }, posts: posts)
    let clockError = snapshot?.clockError ?? .zero
    try await store.record(CountSample(at: moment + clockError, counts, isDoubted: hidden > 0), of: actor)
    return followers
  }

  /// How many of the listed followers an outage hides; none if they are so few that no one would notice.
  private func hidden(by snapshot: SnapshotSchedule.Snapshot?) -> Int {
    guard let snapshot, case .outage(let share, _) = snapshot.outcome else { return 0 }
    let hidden = Int(Double(truth.accounts.count { $0.isListed(at: snapshot.read) }) * (1 - share))
    return hidden > 3 ? hidden : 0
  }

  /// A goal, and segments.
  private mutating func track(in time: Range<Instant>) async throws {
    let listed = truth.accounts.count { $0.isListed(at: now) }
    let goal = FollowerGoal(
      listed + Int.random(in: -20...60, using: &numbers), from: Int.random(in: 0...listed, using: &numbers),
      since: time.random(&numbers))
    if Bool.random(using: &numbers) { try await store.set(goal, of: actor) }
    guard let segment = Segment("loyal", "mutual", since: time.lowerBound), Bool.random(using: &numbers)
    else {
      return
    }
    try await store.add(segment)
    for _ in 0..<Int.random(in: 0...5, using: &numbers) {
      let count = Sample(at: time.random(&numbers), Int.random(in: 0...90, using: &numbers))
      try await store.record(count, of: segment.name, for: actor)
    }
  }

  private func learnDates(of snapshot: Snapshot, at moment: Instant) async throws {
    let listing = HistoryListing(.followers, of: actor)
    let present = try await store.edges(of: listing, at: snapshot.id, after: nil, most: .max)
    let asked = present.map(\.account).filter(sample.contains)
    try await store.learn(
      truth.accounts.filter { asked.contains($0.did) }.compactMap { account in
        account.stay(at: moment).map { HistoryEdge(account.did, rkey: $0.key) }
      }, of: listing)
    try await store.record(sample, of: snapshot.id)
  }

  // MARK: Snapshots

  /// Returns the snapshot of followers; nil if it is not complete.
  private mutating func takeFollowers(
    _ snapshot: SnapshotSchedule.Snapshot, _ counted: Int?
  ) async throws -> Snapshot? {
    let writer = try await store.begin(HistoryListing(.followers, of: actor), at: snapshot.startedAt)
    var listed = truth.accounts.filter { $0.isListed(at: snapshot.read) }
    switch snapshot.outcome {
    case .interrupted: return nil
    case .failed:
      _ = try await writer.fail("the server did not respond", at: snapshot.endedAt)
      return nil
    case .incremental:
      let before = writer.previous?.startedAt ?? .distantPast
      listed = listed.filter { $0.stay(at: snapshot.read).map { $0.came > before } ?? false }
    case .outage(let share, asks: false):
      listed = listed.filter { _ in Double.random(in: 0..<1, using: &numbers) < share }
    case .full, .open, .outage: break
    }
    _ = try await writer.add(
      listed.map { account in
        let key = dates == .withEachSnapshot ? account.stay(at: snapshot.read)?.key : nil
        return HistoryEdge(account.did, rkey: key)
      })
    return try await finish(writer, snapshot, counted)
  }

  private func finish(
    _ writer: any SnapshotWriter, _ snapshot: SnapshotSchedule.Snapshot, _ counted: Int?
  ) async throws -> Snapshot {
    var counts = Snapshot.Counts(counted: counted)
    if case .incremental = snapshot.outcome {
      return try await writer.finish(.incremental, counts, note: nil, at: snapshot.endedAt)
    }
    let missing = Set(try await writer.missing(after: nil, most: .max).map(\.account))
    var gone = truth.accounts.filter { missing.contains($0.did) }
    var note: String?
    switch snapshot.outcome {
    case .outage(_, asks: false):
      (counts.unconfirmed, counts.doubted) = (gone.count, gone.count)
      (gone, note) = ([], "many are gone")
      try await writer.withhold(Array(missing))
    case .outage(_, asks: true): counts.doubted = hidden(by: snapshot)
    case .open:
      counts.unconfirmed = gone.count / 3
      gone.removeFirst(counts.unconfirmed)
    case .full, .incremental, .failed, .interrupted: break
    }
    try await writer.lose(gone.map { HistoryLoss($0.did, $0.cause(at: snapshot.read), Evidence()) })
    return try await writer.finish(.full, counts, note: note, at: snapshot.endedAt)
  }

  /// Snapshots of the accounts that are followed and of those that are blocked.
  private func takeOthers(_ snapshot: SnapshotSchedule.Snapshot) async throws {
    let followed = follows.accounts.compactMap { account in
      account.stay(at: snapshot.read).map { HistoryEdge(account.did, rkey: $0.key) }
    }
    let blocked = truth.accounts.compactMap { account in
      account.hidden.flatMap { hidden in
        hidden.contains(snapshot.read)
          ? HistoryEdge(account.did, rkey: RecordKey(TID(at: hidden.lowerBound, clockID: 1).description))
          : nil
      }
    }
    try await take(.follows, followed, .unfollowed, snapshot)
    try await take(.blocks, blocked, .removed, snapshot)
  }

  private func take(
    _ side: HistoryListing.Side, _ edges: [HistoryEdge], _ cause: LossCause,
    _ snapshot: SnapshotSchedule.Snapshot
  ) async throws {
    let writer = try await store.begin(HistoryListing(side, of: actor), at: snapshot.startedAt)
    _ = try await writer.add(edges)
    let gone = try await writer.missing(after: nil, most: .max)
    try await writer.lose(gone.map { HistoryLoss($0.account, cause, Evidence()) })
    _ = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: snapshot.endedAt)
  }
}
