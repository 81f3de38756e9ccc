// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithHistory
import KithRelationships
import KithStore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// A history that a sandbox has made up, beside one of snapshots that were taken day by day.
struct ComparedHistories {
  /// All that a history says of an account.
  struct Content: Equatable {
    var listings: [HistoryListing]
    var snapshots: [[Snapshot]] = []
    var intervals: [[HistoryInterval]] = []
    var counts: [CountSample]
    /// The names in the cache.
    var names: [DID: AccountView]

    /// - Parameter user: whose files they are.
    init(of user: InProcessUser) async throws {
      let store = SQLiteHistoryStore(try StoreDatabase(folder: user.home.path() + "/data/kith", .history))
      listings = try await store.listings(of: nil)
      counts = try await store.counts(of: try user.did("alice"), since: .distantPast)
      let cache = try NameCache(folder: user.home.path() + "/cache/kith")
      names = try await cache.names(of: try await cache.accounts(beginningWith: "", most: .max))
      for listing in listings {
        snapshots.append(try await store.snapshots(of: listing))
        intervals.append(try await store.intervals(of: listing, after: nil, most: .max))
      }
    }

    /// All accounts that were ever among the followers.
    var followers: Set<DID> {
      Set(zip(listings, intervals).filter { $0.0.side == .followers }.flatMap { $0.1.map(\.edge.account) })
    }

    var causes: Set<LossCause> { Set(intervals.joined().compactMap(\.loss?.cause)) }

    /// The AppViews that snapshots were read from.
    var appviews: Set<String?> { Set(snapshots.joined().map(\.appview)) }

    /// The same as a loaded history has it, which was read from no AppView, and whose losses are not in doubt.
    var withoutAppViews: Content {
      var content = self
      content.snapshots = snapshots.map { $0.map(\.withoutAppView) }
      content.intervals = zip(listings, intervals).map { listing, all in
        listing.side == .followers ? all.map(\.withoutRepositories) : all
      }
      return content
    }
  }

  let lived: Content
  let loaded: Content

  /// Takes a snapshot on each observed day of a network, and loads what is printed of the same days of the same network.
  init(days: Int, accounts: Int) async throws {
    let user = try InProcessUser(accounts: accounts, days: days, pace: .growth)
    let start = user.network.time.instant
    let past = SandboxPast(days: days, of: .shared(accounts: accounts), until: { start + .days(days) })
    for day in 0...days {
      if day > 0 {
        user.network.clock.advance(by: .days(day) - user.network.clock.now.offset)
        user.network.live.passDay()
      }
      guard past.isObserved(day) else { continue }
      let line = "snapshot alice.test --side followers --side follows --side blocks --dates --full"
      let run = try await user.kith(line.split(separator: " ").map(String.init))
      #expect(run.status == .success, "\(run.talk)")
    }
    lived = try await Content(of: user)

    let reader = try InProcessUser(accounts: accounts)
    reader.network.clock.advance(by: .days(days))
    let file = reader.home.appending(path: "past.ndjson")
    var lines: [String] = []
    try past.pass { lines += $0 }
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
    let run = try await reader.kith(["db", "load-history", file.path()])
    #expect(run.status == .success && run.talk == "", "\(run.talk)")
    loaded = try await Content(of: reader)
  }
}

extension Snapshot {
  /// The same, as if it had been read from no AppView.
  fileprivate var withoutAppView: Snapshot {
    Snapshot(
      id: id, listing: listing, from: nil, state: state, extent: extent, startedAt: startedAt,
      endedAt: endedAt, previousAt: previousAt, previousFullAt: previousFullAt, counts: counts, note: note,
      dateSample: dateSample)
  }
}

extension HistoryInterval {
  /// The same without what the repository of a former follower said.
  fileprivate var withoutRepositories: HistoryInterval {
    var interval = self
    if let loss {
      let findings = loss.evidence.findings.filter { $0.question != .records }
      interval.loss = HistoryLoss(loss.account, loss.cause, Evidence(findings))
    }
    return interval
  }
}

/// `kith db load-history`, which reads what `kith-sandbox past` prints.
@Suite struct PastHistoryTests {
  @Test func aLoadedHistoryIsTheOneThatSnapshotsWouldHaveMade() async throws {
    let histories = try await ComparedHistories(days: 5, accounts: 1_000)
    #expect(histories.loaded == histories.lived.withoutAppViews)
    #expect(histories.lived.appviews == [FaultyNetwork.appview, nil])
    #expect(histories.lived.causes.isSuperset(of: [.unfollowed, .blockedBy]))
    #expect(histories.lived.snapshots.map(\.count) == [6, 6, 6])
    #expect(Set(histories.lived.names.keys).isSuperset(of: histories.lived.followers))
  }

  @Test func theSandboxPrintsWhatTheHistoryReads() async throws {
    let program = URL(filePath: KithRun.executable).deletingLastPathComponent().appending(
      path: "kith-sandbox")
    let past = try await KithRun(["past", "--days", "2", "--accounts", "200"], of: program.path())
    #expect(past.status == 0 && past.output.contains(#""kind":"listed""#), "\(past.talk)")
    let user = try InProcessUser()
    let file = user.home.appending(path: "past.ndjson")
    try Data(past.output.utf8).write(to: file)
    // The program printed the present.
    user.network.clock.advance(by: WallClock.now - user.network.time.instant + .seconds(1))
    #expect(try await user.kith(["db", "load-history", file.path()]).status == .success)
    let content = try await ComparedHistories.Content(of: user)
    #expect(content.snapshots.map(\.count) == [3, 3, 3])
    let alice = try user.did("alice")
    #expect(Set(content.names.keys) == content.followers.union([alice]))
    #expect(content.names[alice]?.handle == Handle("alice.test"))
    // The second time, the account is known.
    let again = try await user.kith(["db", "load-history", file.path()])
    #expect(again.status == .badInput && again.talk.contains(#""code":"history.known""#), "\(again.talk)")
    #expect(try await ComparedHistories.Content(of: user) == content)
  }

  @Test func aFileThatCannotBeTrueLeavesNothing() async throws {
    let user = try InProcessUser()
    let file = user.home.appending(path: "past.ndjson")
    let alice = try user.did("alice")
    let lines = [
      #"{"kind":"snapshot","actor":"\#(alice)","side":"follows","at":"2025-01-06T12:00:00.000Z"}"#,
      #"{"kind":"listed","account":"\#(try user.did("bob"))","key":"3k2yihcrp6f2c"}"#,
      #"{"kind":"liked"}"#,
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let run = try await user.kith(["db", "load-history", file.path()])
    #expect(run.status == .badInput && run.talk.contains(#""place":"\#(file.path()):3""#), "\(run.talk)")
    #expect(try await user.kith(["history", "alice.test"]).status != .success)
    let missing = try await user.kith(["db", "load-history", "/nowhere/past.ndjson"])
    #expect(missing.status == .fileTrouble)
  }

  /// Completions leave it out, too: `HelpTests`.
  @Test(arguments: [["db", "--help"], ["help", "db"]])
  func theVerbIsShownNowhere(words: [String]) async throws {
    let run = try await KithRun.inside(words)
    #expect(run.status == 0 && run.output.contains("vacuum") && !run.output.contains("load-history"))
  }

  @Test func aTypingErrorDoesNotLeadToIt() async throws {
    let run = try await KithRun.inside(["db", "load-histori"])
    #expect(run.status == ExitStatus.usage.rawValue && !run.talk.contains("load-history"), "\(run.talk)")
    let shown = try await KithRun.inside(["db", "vacum"])
    #expect(shown.talk.contains("vacuum"))
  }
}

/// A hundred days of a network like that of the demo, with all causes of losses.
@Suite struct PastHistoryLongTests {
  @Test func aLoadedHistoryIsTheOneThatSnapshotsWouldHaveMade() async throws {
    let histories = try await ComparedHistories(days: 100, accounts: 8_000)
    #expect(histories.loaded == histories.lived.withoutAppViews)
    #expect(
      histories.lived.causes.isSuperset(
        of: [.unfollowed, .blockedBy, .blocking, .deleted, .deactivated, .suspended]))
    #expect(histories.lived.snapshots.first?.count == 63)
    #expect(Set(histories.lived.names.keys).isSuperset(of: histories.lived.followers))
    // One that was renamed meanwhile.
    #expect(histories.lived.names.values.contains { $0.handle?.description.contains("-day") == true })
  }
}
