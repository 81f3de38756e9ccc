// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithHistory
@testable import KithInsights
@testable import KithRelationships
@testable import KithSandbox
@testable import KithStore
@testable import SandboxSupport
@testable import kith

/// Statistics, goals and segments, from the command line to a sandbox.
@Suite struct InsightCommandTests {
  private typealias Row = [String: String]

  private func kith(_ user: InProcessUser, _ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  /// The rows of a successful run.
  @discardableResult
  private func rows(_ user: InProcessUser, _ words: [String]) async throws -> [Row] {
    let ending = try await user.kith(words)
    #expect(ending.status == .success, "\(words): \(ending.talk)")
    return ending.rows
  }

  @discardableResult
  private func rows(_ user: InProcessUser, _ line: String) async throws -> [Row] {
    try await rows(user, line.split(separator: " ").map(String.init))
  }

  private func text(_ row: Row?, _ field: String) -> String? {
    row?[field].flatMap { $0 == "null" ? nil : $0.trimmingCharacters(in: ["\""]) }
  }

  private func value(_ rows: [Row], _ metric: String, _ key: String) -> Double? {
    text(rows.last { text($0, "metric") == metric && text($0, "key") == key }, "value").flatMap(Double.init)
  }

  @Test func growthOfCurrentFollowersStartsAtTheFirstDay() async throws {
    let user = try InProcessUser(accounts: 1_000)
    let figures = try await rows(user, "stats alice.test --time-zone UTC")
    let survivors = figures.filter { text($0, "metric") == "growth" && text($0, "note") == "survivors" }
    let listed = try await rows(user, "followers alice.test --dates")
    #expect(survivors.count > 50 && value(survivors, "growth", "followers") == Double(listed.count))
    // Each count matches the number of follow dates until then.
    let dates = listed.compactMap { text($0, "since") }.sorted()
    for row in survivors.dropLast() {
      let end = try #require(text(row, "to"))
      #expect(text(row, "value") == "\(dates.count { $0 < end })", "\(end)")
    }
    let counted = figures.filter { text($0, "note") == "counted" }
    let followers = value(figures, "cards", "followers")
    #expect(counted.count == 1 && value(counted, "growth", "followers") == followers)
    #expect(value(figures, "cards", "followers") == 258 && value(figures, "cards", "follows") == 125)
    let mutuals = try await rows(user, "mutuals alice.test")
    #expect(value(figures, "cards", "mutuals") == Double(mutuals.count))
  }

  @Test func onlyRequestedMetricsArePrinted() async throws {
    let user = try InProcessUser(accounts: 400)
    for metric in CaseSample.of(["engagement", "times", "blocks", "growth"], one: 2) {
      let figures = try await rows(user, "stats alice.test --metric \(metric)")
      #expect(Set(figures.map { text($0, "metric") }).subtracting([metric]) == [], "\(metric)")
    }
  }

  /// Posts that a block hides are unknown: no account without posts, and no failing service.
  @Test func postsBehindABlockAreMissingAndNotZero() async throws {
    let user = try InProcessUser(accounts: 400)
    user.network.begin(.feedsHidden)
    let own = try await kith(user, "stats frank.test --metric engagement")
    #expect(own.status == .notAllowed, "\(own.talk)")
    #expect(own.talk.contains("insightPartMissing") && own.talk.contains("relationship.hiddenByBlock"))
    #expect(own.rows.allSatisfy { text($0, "metric") != "engagement" || text($0, "value") == nil })
    // Of followers it is nothing unusual: their languages are unknown.
    let audience = try await kith(user, "stats alice.test --metric audience --sample 20")
    #expect(!audience.talk.contains("insightPartMissing"), "\(audience.talk)")
    #expect(audience.status == .success)
  }

  @Test func followersAreShownByTheirWordsTheirHoursAndWhyTheyAreNotable() async throws {
    let user = try InProcessUser(accounts: 400)
    let figures = try await rows(
      user, "stats alice.test --metric audience --metric audience-times --metric top --sample 60")
    let words = figures.filter { text($0, "key")?.hasPrefix("word-") == true }
    #expect(!words.isEmpty && words.allSatisfy { text($0, "low") != nil && text($0, "unit") == "share" })
    let hours = figures.filter { text($0, "metric") == "audience-times" }
    #expect(hours.count == 24 + 7 + 2)
    #expect(value(hours, "audience-times", "accounts") ?? 0 > 10)
    let notable = figures.filter { text($0, "key") == "notable" }
    #expect(!notable.isEmpty && notable.allSatisfy { text($0, "handle") != nil && text($0, "note") != nil })
  }

  @Test func knownDataIsNotRequestedAgain() async throws {
    let user = try InProcessUser(accounts: 1_000)
    let first = try await kith(user, "stats alice.test --metric growth")
    let again = try await kith(user, "stats alice.test --metric growth")
    // Only the handle and the name of the actor are.
    #expect(calls(first) ?? 0 > 9 && calls(again) ?? 9 <= 2, "\(again.talk)")
    #expect(first.rows == again.rows)
    let stored = try await kith(user, "stats alice.test --metric growth --stored")
    #expect(stored.rows == first.rows && calls(stored) ?? 9 <= 1)
  }

  /// A sample gives estimates with bounds; the last estimate is the total.
  @Test func aSampleOfDatesGivesEstimates() async throws {
    let user = try InProcessUser(accounts: 1_000)
    let figures = try await rows(user, "stats alice.test --metric growth --sample 60")
    let survivors = figures.filter { text($0, "note") == "survivors" }
    #expect(survivors.allSatisfy { text($0, "low") != nil && text($0, "high") != nil })
    #expect(value(survivors, "growth", "followers") == 200)
    let sample = try #require(text(survivors.first, "sample").flatMap(Int.init))
    #expect((30...100).contains(sample))
    // A larger sample continues where this one ended, up to all followers.
    let whole = try await rows(user, "stats alice.test --metric growth")
    #expect(whole.filter { text($0, "note") == "survivors" }.allSatisfy { text($0, "low") == nil })
  }

  /// Followers that were lost before they were asked when they came are no sample of the others.
  @Test func storedFiguresEqualThoseOfServers() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 5)
    try await rows(user, "snapshot alice.test --full")
    for _ in 1...5 {
      try await user.network.clock.sleep(for: .seconds(86_400))
      try #require(user.network.live.passDay() != nil)
      try await rows(user, "snapshot alice.test --full")
    }
    let line = "alice.test --metric growth --metric cohorts"
    let asked = try await rows(user, "stats \(line)")
    let stored = try await rows(user, "stats \(line) --stored")
    #expect(asked == stored && value(asked, "growth", "undated") ?? 0 > 3)
    #expect(asked.filter { text($0, "metric") == "growth" }.allSatisfy { text($0, "low") == nil })
  }

  /// What was deleted is not zero.
  @Test func lossesAreStillCountedAfterPruning() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 8)
    try await rows(user, "snapshot alice.test --full")
    for _ in 1...8 {
      try await user.network.clock.sleep(for: .seconds(86_400))
      user.network.live.passDay()
      try await rows(user, "snapshot alice.test --full")
    }
    let line = "stats alice.test --stored --metric flow --metric growth --range month --time-zone UTC"
    let before = try await rows(user, line)
    try await rows(user, "db prune --older-than 2d --yes")
    let after = try await rows(user, line)
    for key in ["lost", "net", "churn-rate", "undated"] {
      let kept = [before, after].map { $0.filter { text($0, "key") == key }.map { $0["value"] } }
      #expect(kept[0] == kept[1] && !kept[0].isEmpty, "\(key)")
    }
    let lost = after.filter { text($0, "key") == "lost" }.compactMap { text($0, "value").flatMap(Int.init) }
    #expect(lost.reduce(0, +) > 5)
  }

  /// Another process may be taking a snapshot; the last one is there.
  @Test func aSnapshotInProgressIsNotWaitedFor() async throws {
    let user = try InProcessUser(accounts: 400)
    try await rows(user, "stats alice.test --metric growth")
    try await user.network.clock.sleep(for: .seconds(2 * 86_400))
    let store = SQLiteHistoryStore(try StoreDatabase(folder: "\(user.home.path())/data/kith", .history))
    let listing = HistoryListing(.followers, of: try user.did("alice"))
    let writer = try await store.begin(listing, at: 0)
    let ending = try await kith(user, "stats alice.test --metric growth")
    #expect(ending.status == .success && ending.talk.contains("snapshotInProgress"), "\(ending.talk)")
    #expect(ending.rows.count > 50)
    _ = try await writer.fail("no", at: 1)
    // Without any snapshot there is nothing to show.
    let bob = try await store.begin(HistoryListing(.followers, of: try user.did("bob")), at: 0)
    #expect(try await kith(user, "stats bob.test --metric growth").status == .tryLater)
    _ = try await bob.fail("no", at: 1)
  }

  @Test func whatStoredDataCannotShowIsNamed() async throws {
    let user = try InProcessUser(accounts: 400)
    try await rows(user, "stats alice.test")
    let all = try await kith(user, "stats alice.test --stored --metric all")
    #expect(all.status == .success && all.talk.contains("metricsNeedServers"), "\(all.talk)")
    #expect(all.talk.contains("engagement") && all.talk.contains("bots"))
    for metric in ["engagement", "times", "top", "activity", "audience", "audience-times", "bots"] {
      #expect(try await kith(user, "stats alice.test --stored --metric \(metric)").status == .usage)
      let report = "stats alice.test -o \(user.home.path())/r.html --stored --metric \(metric)"
      #expect(try await kith(user, report).status == .usage)
    }
  }

  /// Numbers of a time that is over are those of then, or none.
  @Test func cardsOfAPastTimeAreNotOfThePresent() async throws {
    let user = try InProcessUser(accounts: 400, days: 12)
    for _ in 1...12 {
      try await rows(user, "snapshot alice.test --full")
      try await user.network.clock.sleep(for: .seconds(86_400))
      user.network.live.passDay()
    }
    try await rows(user, "snapshot alice.test --full")
    let past = try await rows(user, "stats alice.test --stored --metric cards --since 9d --until 4d")
    #expect(value(past, "cards", "followers") != nil && value(past, "cards", "mutuals") == nil)
    #expect(value(past, "cards", "mutual-rate") == nil)
    let end = past.first { text($0, "key") == "followers-change" }.flatMap { text($0, "to") }
    #expect(past.filter { text($0, "key") == "followers" }.map { text($0, "to") } == [end] && end != nil)
    let now = try await rows(user, "stats alice.test --stored --metric cards")
    #expect(value(now, "cards", "mutuals") != nil)
    #expect(now.filter { text($0, "key") == "followers" }.map { text($0, "to") } == [nil])
  }

  /// A machine whose clock was a year ahead once.
  @Test func aClockThatWasAheadHidesNothing() async throws {
    let user = try InProcessUser(accounts: 400, days: 4)
    try await rows(user, "snapshot alice.test --full")
    let store = SQLiteHistoryStore(try StoreDatabase(folder: "\(user.home.path())/data/kith", .history))
    let listing = HistoryListing(.followers, of: try user.did("alice"))
    let first = try #require(try await store.snapshots(of: listing).last)
    let ahead = first.startedAt + 400 * 86_400_000_000
    let writer = try await store.begin(listing, at: ahead)
    _ = try await writer.add(try await store.edges(of: listing, at: first.id, after: nil, most: .max))
    _ = try await writer.finish(.full, first.counts, note: nil, at: ahead)
    for _ in 1...4 {
      try await user.network.clock.sleep(for: .seconds(86_400))
      user.network.live.passDay()
      try await rows(user, "snapshot alice.test --full")
    }
    for line in [
      "stats alice.test --stored --metric all", "stats alice.test --metric cohorts",
      "stats alice.test -o \(user.home.path())/report.html",
    ] {
      #expect(try await kith(user, line).status == .success, "\(line)")
    }
    let flows = try await rows(user, "stats alice.test --stored --metric flow --range month")
    #expect(flows.contains { text($0, "key") == "lost" && text($0, "value") != "0" })
  }

  @Test(arguments: ["-o FILE", "--output FILE", "--output=FILE"])
  func theFormerSpellingOfAPageWorksAndSaysHowItIsSpelledNow(option: String) async throws {
    let user = try InProcessUser()
    let file = user.home.appending(path: "page.html")
    let line = "report alice.test \(option.replacing("FILE", with: file.path())) --metric growth"
    let ending = try await kith(user, line)
    #expect(ending.status == .success && ending.talk.contains("formerSpelling"), "\(ending.talk)")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("<svg"))
    #expect(try await !kith(user, line + " -q").talk.contains("formerSpelling"))
  }

  private func calls(_ ending: InProcessUser.Ending) -> Int? {
    let line = ending.talk.split(separator: "\n").last { $0.contains("insightSummary") } ?? ""
    return line.firstMatch(of: /"calls":(\d+)/).flatMap { Int($0.1) }
  }

  @Test func flowsMatchTheSimulatedDays() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 5)
    try await rows(user, "snapshot alice.test --full --dates")
    let alice = try user.did("alice")
    var (came, left) = (0, 0)
    for _ in 1...5 {
      try await user.network.clock.sleep(for: .seconds(86_400))
      for event in try #require(user.network.live.passDay()) {
        switch event.kind {
        case .followed where event.subject == alice: came += 1
        case .unfollowed where event.subject == alice, .deleted, .deactivated, .suspended, .takenDown:
          left += 1
        case .blocked where event.account == alice || event.subject == alice: left += 1
        case .reactivated: came += 1
        default: break
        }
      }
      try await rows(user, "snapshot alice.test --full --dates")
    }
    let figures = try await rows(user, "stats alice.test --stored --metric flow --by week --range month")
    func sum(_ key: String) -> Double {
      figures.filter { text($0, "key") == key }.compactMap { text($0, "value").flatMap(Double.init) }.reduce(
        0, +)
    }
    #expect(sum("lost") == Double(left) && left > 5)
    #expect(sum("gained") + sum("returned") >= Double(came))
    #expect(sum("net") == sum("gained") + sum("returned") - sum("lost"))
  }

  @Test func anAccountWithoutSnapshotsHasNothingStored() async throws {
    let user = try InProcessUser()
    #expect(try await kith(user, "stats alice.test --stored").status == .notFound)
    try await rows(user, "snapshot bob.test")
    let ending = try await kith(user, "stats alice.test --stored")
    #expect(ending.status == .notFound && ending.talk.contains("noSnapshotOf") && ending.rows.isEmpty)
  }

  @Test(arguments: [
    "stats alice.test --time-zone Mars/Olympus", "stats alice.test --time-zone ../../etc/passwd",
    "stats alice.test --metric fame", "stats alice.test --range month --since 7d",
    "stats alice.test --since 2026-01-01 --until 2025-01-01", "stats alice.test --since soon",
    "stats alice.test --sample 0", "stats alice.test --posts 0", "stats alice.test --stored --explain",
    "stats alice.test --sample 9223372036854775807 --explain",
    "stats alice.test --format html", "followers alice.test --format svg", "report alice.test",
    "stats -o a.html --reason spam", "stats -o a.html --json", "report -o a.html --reason spam",
    "report spam.test --reason spam --format md",
    "goal many", "goal 0", "goal 10 --remove", "segments add two,words mutual", "segments add a folowers",

  ])
  func invalidCombinationsAreUsageErrors(line: String) async throws {
    let user = try InProcessUser()
    #expect(try await kith(user, line).status == .usage, "\(line)")
  }

  /// A failing part of the network does not affect the others, but the run is not a success.
  @Test func aPartThatFailsLeavesTheOthers() async throws {
    let user = try InProcessUser(accounts: 400)
    try await rows(user, "stats alice.test")
    user.network.begin(.plcDown)
    let ending = try await kith(user, "stats alice.test --metric activity --metric growth")
    #expect(ending.status == .unavailable && ending.talk.contains("insightPartMissing"))
    #expect(ending.rows.count { text($0, "metric") == "growth" } > 50)
  }

  /// Old numbers do not look like new ones.
  @Test func numbersOfADeadServerAreNamedAndFail() async throws {
    let user = try InProcessUser(accounts: 400)
    try await rows(user, "stats alice.test --metric cards")
    try await user.network.clock.sleep(for: .seconds(43 * 60))
    user.network.begin(.appViewDown)
    let did = try user.did("alice").description
    let ending = try await kith(user, "stats \(did) --metric cards")
    #expect(ending.status == .unavailable && ending.talk.contains("countsOld"), "\(ending.talk)")
    #expect(value(ending.rows, "cards", "followers") != nil)
  }

  /// What the account changed itself is in the next numbers.
  @Test func ownChangesAreCountedAtOnce() async throws {
    let user = try InProcessUser(accounts: 400)
    try await rows(user, "login alice.test")
    let before = value(try await rows(user, "stats alice.test --metric cards"), "cards", "blocks")
    try await user.network.clock.sleep(for: .seconds(60))
    for name in ["grace.test", "heidi.test"] { try await rows(user, "block \(name) --yes") }
    let after = value(try await rows(user, "stats alice.test --metric cards"), "cards", "blocks")
    #expect(before != nil && after == before.map { $0 + 2 })
  }

  // MARK: Reports

  @Test(arguments: [("html", "<!doctype html>"), ("md", "# "), ("svg", "<svg")])
  func aReportHasTheFormatOfItsFileName(form: String, start: String) async throws {
    let user = try InProcessUser(accounts: 400)
    let path = "\(user.home.path())/report.\(form)"
    let ending = try await user.kith([
      "report", "alice.test", "-o", path, "--metric", "cards", "--metric", "growth",
    ])
    #expect(ending.status == .success && ending.rows.isEmpty, "\(ending.talk)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix(start) && text.contains("alice.test") && text.utf8.count < 200_000)
    #expect(!text.contains("<script") && !text.contains("src="))
    // --format takes precedence over the file name.
    try await rows(user, ["report", "alice.test", "-o", path, "--format", "svg", "--metric", "growth"])
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<svg"))
  }

  /// A picture has one metric, and fetches nothing for others.
  @Test func aPictureShowsAndFetchesOneMetric() async throws {
    let user = try InProcessUser(accounts: 400)
    let path = "\(user.home.path())/picture.svg"
    try await rows(user, "stats alice.test --metric growth")
    for metric in CaseSample.of(InsightMetric.allCases.filter { $0 != .segments && $0 != .goal }, one: 4) {
      try await rows(
        user, ["stats", "alice.test", "-o", path, "--metric", metric.rawValue, "--theme", "dark"])
      let picture = try String(contentsOfFile: path, encoding: .utf8)
      #expect(picture.hasPrefix("<svg") && picture.contains("width=\"1200\" height=\"630\""), "\(metric)")
      // A title and something below it, in the colours of the theme.
      #expect(picture.count(of: "<text") > 3 && !picture.contains("var("), "\(metric)")
    }
    let usual = try await kith(user, "stats alice.test -o \(path)")
    let all = try await kith(user, "stats alice.test -o \(user.home.path())/page.html")
    #expect(calls(usual) ?? 99 < 10 && calls(all) ?? 0 > 30)
    let several = try await kith(user, "stats alice.test -o \(path) --metric growth --metric top")
    #expect(several.status == .usage && several.talk.contains("pictureOfSeveral"))
    // Nobody has set a goal: there is nothing to draw.
    let nothing = try await kith(user, "stats alice.test -o \(path) --metric goal")
    #expect(nothing.status == .notFound && nothing.talk.contains("nothingToDraw"))
  }

  /// Whoever opens the page sees who left, and can go there.
  @Test func aPageNamesPeopleAndPostsAndLeadsToThem() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 3)
    try await rows(user, "snapshot alice.test")
    for _ in 0..<3 {
      try await user.network.clock.sleep(for: .seconds(86_400))
      _ = try #require(user.network.live.passDay())
    }
    try await rows(user, "snapshot alice.test --full")
    let lost = try await rows(user, "history alice.test --side followers --kind lost")
    let path = "\(user.home.path())/page.html"
    try await rows(user, ["stats", "alice.test", "-o", path, "--range", "all"])
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(page.contains("Who came and who left") && page.contains("Best posts"))
    #expect(page.contains("\(lost.count) left") && lost.count > 2)
    let gone = try #require(lost.last.flatMap { text($0, "did") })
    #expect(page.contains("href=\"https://bsky.app/profile/\(gone)\""))
    #expect(page.contains("/post/") && page.count(of: "<details class=\"fold\">") > 8)
  }

  @Test func anUnwritableReportMakesNoCalls() async throws {
    let user = try InProcessUser()
    let ending = try await user.kith(["report", "alice.test", "-o", "\(user.home.path())/no/report.html"])
    #expect(ending.status == .fileTrouble)
  }

  // MARK: Goals

  @Test func aGoalIsShownUntilItIsRemoved() async throws {
    let user = try InProcessUser(accounts: 400)
    #expect(try await rows(user, "goal --of alice.test").isEmpty)
    let set = try #require(try await rows(user, "goal 1k --of alice.test").first)
    #expect(text(set, "goal") == "1000" && text(set, "share") == "0" && text(set, "reached") == "false")
    #expect(text(set, "expected") == nil && text(set, "start") == text(set, "followers"))
    #expect(try await rows(user, "goal --of alice.test").first?["goal"] == "1000")
    // The same goal again does not start over.
    try await user.network.clock.sleep(for: .seconds(86_400))
    let again = try #require(try await rows(user, "goal 1000 --of alice.test").first)
    #expect(again["since"] == set["since"] && again["start"] == set["start"])
    let reached = try #require(try await rows(user, "goal 3 --of alice.test").first)
    #expect(text(reached, "reached") == "true" && text(reached, "share") == "1")
    let figures = try await rows(user, "stats alice.test --metric goal")
    #expect(value(figures, "goal", "goal") == 3 && value(figures, "goal", "progress") == 1)
    try await rows(user, ["goal", "--remove", "--of", "alice.test"])
    #expect(try await rows(user, "goal --of alice.test").isEmpty)
    #expect(try await kith(user, "goal 10").status == .notAllowed)
  }

  // MARK: Segments

  @Test func aSegmentIsListedCountedAndUsed() async throws {
    let user = try InProcessUser(accounts: 400)
    try await rows(user, ["segments", "add", "loyal", "mutual"])
    try await rows(user, ["segments", "add", "bigloyal", "segment loyal and followers > 20"])
    let mutual = try await rows(user, ["followers", "alice.test", "--where", "mutual"])
    let loyal = try await rows(user, ["followers", "alice.test", "--where", "segment loyal"])
    #expect(loyal.map { $0["did"] } == mutual.map { $0["did"] } && !loyal.isEmpty)
    let counted = try await rows(user, "segments count --of alice.test")
    #expect(counted.map { text($0, "name") } == ["bigloyal", "loyal"])
    #expect(text(counted.last, "members") == "\(mutual.count)" && text(counted.last, "membersBefore") == nil)
    try await user.network.clock.sleep(for: .seconds(86_400))
    let again = try await rows(user, "segments count loyal --of alice.test")
    #expect(again.count == 1 && text(again.first, "membersBefore") == "\(mutual.count)")
    let figures = try await rows(user, "stats alice.test --metric segments")
    #expect(figures.count { text($0, "key") == "loyal" } == 2)
    #expect(try await rows(user, "segments --of alice.test").count == 2)
  }

  @Test func aSegmentInUseIsNotRemoved() async throws {
    let user = try InProcessUser()
    try await rows(user, ["segments", "add", "loyal", "mutual"])
    try await rows(user, ["segments", "add", "big", "segment loyal and followers > 20"])
    #expect(try await kith(user, "segments remove loyal").status == .usage)
    #expect(try await kith(user, "segments remove nobody").status == .notFound)
    #expect(try await kith(user, "segments count nobody --of alice.test").status == .notFound)
    #expect(try await user.kith(["segments", "add", "loyal", "segment big"]).status == .usage)
    #expect(try await user.kith(["followers", "alice.test", "--where", "segment huge"]).status == .usage)
    try await rows(user, "segments remove loyal big")
    #expect(try await rows(user, "segments").isEmpty)
  }

  // MARK: Costs

  /// A plan is an upper bound, for each metric.
  @Test(
    arguments: CaseSample.of(
      ["growth", "top", "engagement", "activity", "audience", "audience-times", "bots", "follow-back"], one: 3
    ))
  func aPlanBoundsTheCalls(metric: String) async throws {
    let user = try InProcessUser(accounts: 400)
    let plan = try await rows(user, "stats alice.test --metric \(metric) --explain")
    let total = try #require(text(plan.last, "calls").flatMap(Int.init))
    let ending = try await kith(user, "stats alice.test --metric \(metric)")
    #expect(ending.status == .success, "\(ending.talk)")
    // Resolving the handle of the actor is an additional call.
    #expect(calls(ending).map { $0 <= total + 2 } == true, "\(ending.talk) \(total)")
  }
}

extension String {
  fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
