// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithHistory
import KithRelationships
import KithStore

/// Measures the store of a history: a year of daily snapshots of 100,000 followers: each day 1 % leave and as
/// many others come.
@main
enum HistoryBench {
  static let followers = 100_000
  static let churn = 1_000
  static let days = 365
  /// What a listing brings with each call.
  static let page = 100

  static func main() async throws {
    if CommandLine.arguments.contains("streams") {
      let folder = NSTemporaryDirectory() + "kith-stream-bench-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      return try await StreamBench.run(in: folder)
    }
    let folder = NSTemporaryDirectory() + "kith-history-bench-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = SQLiteHistoryStore(try StoreDatabase(folder: folder, .history))
    var accounts = (0..<followers).map(did)
    var next = followers
    let listing = HistoryListing(.followers, of: did(-1))
    var random = SystemRandomNumberGenerator()
    let clock = ContinuousClock()

    var first = Duration.zero
    first = try await clock.measure { try await full(listing, accounts, in: store, day: 0) }
    for day in 1..<days {
      let writer = try await store.begin(listing, at: .epoch + .days(day))
      var losses: [HistoryLoss] = []
      var gains: [HistoryEdge] = []
      for index in leaving(of: accounts.count, &random) {
        losses.append(loss(of: accounts[index]))
        accounts[index] = did(next)
        gains.append(HistoryEdge(accounts[index]))
        next += 1
      }
      _ = try await writer.add(gains)
      try await writer.lose(losses)
      _ = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: .epoch + .days(day))
    }
    for index in leaving(of: accounts.count, &random) {
      accounts[index] = did(next)
      next += 1
    }
    let last = try await clock.measure { try await full(listing, accounts, in: store, day: days) }
    let snapshots = try await store.snapshots(of: listing)
    var changed: [HistoryInterval] = []
    let compared = try await clock.measure {
      changed = try await store.intervals(of: listing, in: snapshots[days].id...snapshots[days].id)
    }
    let files = ["history.sqlite", "history.sqlite-wal"].map { folder + "/" + $0 }
    let bytes = files.reduce(0) { sum, file in
      sum + ((try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0)
    }
    print("history, \(followers) followers, \(churn) of them replaced on each of \(days) days")
    print("  size of the store            \(bytes / 1_000_000) MB")
    print("  first snapshot               \(first)")
    print("  snapshot on the last day     \(last)")
    print(
      "  difference of two adjacent   \(compared) (\(changed.count { $0.lostIn == nil }) gained,",
      "\(changed.count { $0.lostIn != nil }) lost)")
    try await StreamBench.run(in: folder + "/streams")
  }

  /// Takes a whole snapshot, page by page.
  private static func full(
    _ listing: HistoryListing, _ accounts: [DID], in store: SQLiteHistoryStore, day: Int
  ) async throws {
    let writer = try await store.begin(listing, at: .epoch + .days(day))
    for start in stride(from: 0, to: accounts.count, by: page) {
      _ = try await writer.add(accounts[start..<min(start + page, accounts.count)].map { HistoryEdge($0) })
    }
    var last: DID?
    while true {
      let missing = try await writer.missing(after: last, most: 240)
      guard let end = missing.last else { break }
      last = end.account
      try await writer.lose(missing.map { loss(of: $0.account) })
    }
    _ = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: .epoch + .days(day))
  }

  private static func leaving(of count: Int, _ random: inout SystemRandomNumberGenerator) -> Set<Int> {
    var leaving: Set<Int> = []
    while leaving.count < churn { leaving.insert(Int.random(in: 0..<count, using: &random)) }
    return leaving
  }

  private static func loss(of account: DID) -> HistoryLoss {
    HistoryLoss(
      account, .unfollowed, Evidence([.init(.relationship, .noFollow), .init(.profile, .active)]))
  }

  /// A `did:plc` whose digits look like those of a hash, as real ones do.
  static func did(_ number: Int) -> DID {
    var state = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 | 1
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
    let text = (0..<24).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return digits[Int(state >> 59)]
    }
    guard let did = DID("did:plc:" + String(text)) else {
      preconditionFailure("invariant: 24 digits of base 32 are a did:plc")
    }
    return did
  }
}
