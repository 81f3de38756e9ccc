// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithInsights
import TestSupport
import Testing

@testable import SandboxSupport
@testable import kith

/// Statistics, goals and segments: what options ask for, and what runs print, say and return. `ComputeStatisticsTests`
/// and its neighbours have the numbers.
@Suite struct InsightCommandTests {
  private typealias Row = [String: String]

  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func kith(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  /// The rows of a successful run.
  @discardableResult
  private func rows(_ words: [String]) async throws -> [Row] {
    let ending = try await user.kith(words)
    #expect(ending.status == .success, "\(words): \(ending.talk)")
    return ending.rows
  }

  @discardableResult
  private func rows(_ line: String) async throws -> [Row] {
    try await rows(line.split(separator: " ").map(String.init))
  }

  private func calls(_ ending: InProcessUser.Ending) throws -> Int64? {
    try KithMessage.all(in: ending.talk).last { $0.code == "insightSummary" }?.number("calls")
  }

  // MARK: Statistics

  @Test func optionsSelectMetricsPeriodUnitAndSample() async throws {
    // A plan is an upper bound; resolving the handle of the actor and its name are additional calls.
    // A snapshot learns the dates of 300 followers on the way; she has more.
    let plan = try await rows("stats grace.test --metric growth --sample 60 --explain")
    let planned = try #require(plan.last?.text("calls").flatMap(Int64.init))
    let sampled = try await kith("stats grace.test --metric growth --sample 60")
    let made = try calls(sampled)
    #expect(sampled.status == .success && made ?? .max <= planned + 2, "\(sampled.talk)")
    #expect(sampled.rows.contains { $0.text("note") == "survivors" && $0.text("low") != nil })
    let usual = try await rows("stats alice.test")
    #expect(
      Set(usual.compactMap { $0.text("metric") }).isSuperset(of: ["cards", "growth", "flow"]))
    #expect(
      usual.allSatisfy { row in StatsCommand.usual.contains { row.text("metric") == $0.rawValue } })

    let now = user.network.time.instant
    func moments(_ rows: [Row], _ field: String) -> [Instant] {
      rows.compactMap { $0.text(field).flatMap { Datetime($0)?.instant } }
    }
    let past = try await rows("stats alice.test --stored --metric growth --since 90d --until 4d")
    let known = past.filter { $0.text("note") == "survivors" }
    #expect(moments(known, "to").allSatisfy { (now - .days(91)...now - .days(3)).contains($0) })
    #expect(!known.isEmpty && known.count < 100)
    // The zone of a command is that of its process, which other tests share.
    let former = getenv("TZ").map { String(cString: $0) }
    defer {
      if let former { setenv("TZ", former, 1) } else { unsetenv("TZ") }
      tzset()
    }
    // Days begin at midnight of the zone.
    for (zone, hour) in [("UTC", "00"), ("Asia/Tokyo", "15")] {
      let flow = try await rows(
        "stats alice.test --stored --metric flow --range week --by day --time-zone \(zone)")
      #expect(Set(flow.map { $0.text("metric") }) == ["flow"])
      let starts = flow.compactMap { $0.text("from") }
      #expect(starts.contains { $0.dropFirst(11).hasPrefix(hour) }, "\(starts)")
      #expect(moments(flow, "from").allSatisfy { $0 >= now - .days(8) })
    }
  }

  @Test func whatStoredDataCannotShowIsNamed() async throws {
    #expect(try await kith("stats alice.test --stored").status == .notFound)
    try await rows("snapshot bob.test")
    let none = try await kith("stats alice.test --stored")
    #expect(none.status == .notFound && none.talk.contains("noSnapshotOf") && none.rows.isEmpty)
    let all = try await kith("stats bob.test --stored --metric all")
    #expect(all.status == .success && all.talk.contains("metricsNeedServers"), "\(all.talk)")
    #expect(all.talk.contains("engagement") && all.talk.contains("bots"))
    let alone = "stats bob.test --stored --metric engagement"
    for line in [alone, "\(alone) -o \(user.home.path())/r.html"] {
      #expect(try await kith(line).status == .usage, "\(line)")
    }
  }

  @Test func invalidCombinationsAreUsageErrors() async throws {
    for line in [
      "stats alice.test --time-zone Mars/Olympus", "stats alice.test --time-zone ../../etc/passwd",
      "stats alice.test --metric fame", "stats alice.test --range month --since 7d",
      "stats alice.test --since 2026-01-01 --until 2025-01-01", "stats alice.test --since soon",
      "stats alice.test --sample 0", "stats alice.test --posts 0",
      "stats alice.test --stored --explain",
      "stats alice.test --sample 9223372036854775807 --explain",
      "stats alice.test --format html", "followers alice.test --format svg", "report alice.test",
      "stats -o a.html --reason spam", "stats -o a.html --json", "report -o a.html --reason spam",
      "report spam.test --reason spam --format md",
      "goal many", "goal 0", "goal 10 --remove", "segments add two,words mutual",
      "segments add a folowers",
    ] {
      #expect(try await kith(line).status == .usage, "\(line)")
    }
  }

  /// A failing part of the network does not affect the others, but the run is not a success.
  @Test func aPartThatFailsLeavesTheOthers() async throws {
    try await rows("stats alice.test")
    user.network.begin(.plcDown)
    let ending = try await kith("stats alice.test --metric activity --metric growth --sample 20")
    #expect(ending.status == .unavailable && ending.talk.contains("insightPartMissing"))
    #expect(ending.rows.count { $0.text("metric") == "growth" } > 50)
  }

  // MARK: Reports

  @Test func aReportHasTheFormatOfItsFileName() async throws {
    for (form, start) in [("html", "<!doctype html>"), ("md", "# "), ("svg", "<svg")] {
      let path = "\(user.home.path())/report.\(form)"
      let words = ["report", "alice.test", "-o", path, "--metric", "cards", "--metric", "growth"]
      #expect(try await rows(words).isEmpty)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasPrefix(start) && text.contains("alice.test") && text.utf8.count < 200_000)
      #expect(!text.contains("<script") && !text.contains("src="))
    }
    // --format takes precedence over the file name.
    let path = "\(user.home.path())/report.html"
    try await rows(["report", "alice.test", "-o", path, "--format", "svg", "--metric", "growth"])
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<svg"))
  }

  @Test func theFormerSpellingOfAPageWorksAndSaysHowItIsSpelledNow() async throws {
    let file = user.home.appending(path: "page.html")
    for option in ["-o FILE", "--output FILE", "--output=FILE"] {
      let line = "report alice.test \(option.replacing("FILE", with: file.path())) --metric growth"
      let ending = try await kith(line)
      #expect(ending.status == .success && ending.talk.contains("formerSpelling"), "\(ending.talk)")
      #expect(try String(contentsOf: file, encoding: .utf8).contains("<svg"))
      try FileManager.default.removeItem(at: file)
      #expect(try await !kith(line + " -q").talk.contains("formerSpelling"))
    }
  }

  /// A picture has one metric, and fetches nothing for others.
  @Test func aPictureShowsAndFetchesOneMetric() async throws {
    let path = "\(user.home.path())/picture.svg"
    try await rows("stats alice.test")
    let usual = try await kith("stats alice.test -o \(path)")
    let all = try await kith("stats alice.test -o \(user.home.path())/page.html --sample 20")
    let (few, many) = (try calls(usual), try calls(all))
    #expect(few ?? 99 < 10 && many ?? 0 > 30)
    try await rows("stats alice.test -o \(path) --metric flow --theme dark")
    let picture = try String(contentsOfFile: path, encoding: .utf8)
    // In the colours of the theme.
    #expect(picture.hasPrefix("<svg") && !picture.contains("var("))
    let several = try await kith("stats alice.test -o \(path) --metric growth --metric top")
    #expect(several.status == .usage && several.talk.contains("pictureOfSeveral"))
    // Without a goal there is nothing to draw.
    let nothing = try await kith("stats alice.test -o \(path) --metric goal")
    #expect(nothing.status == .notFound && nothing.talk.contains("nothingToDraw"))
    let unwritable = try await kith("report alice.test -o \(user.home.path())/no/report.html")
    #expect(unwritable.status == .fileTrouble)
  }

  // MARK: Goals and segments

  @Test func goalsAndSegmentsAreSetShownAndRemoved() async throws {
    let set = try #require(try await rows("goal 1k --of alice.test").first)
    #expect(
      set.text("goal") == "1000" && set.text("share") == "0" && set.text("reached") == "false")
    #expect(set.text("expected") == nil && set.text("outlook") == "too-short")
    #expect(try await kith("goal --of alice.test").talk.contains("noForecast"))
    #expect(try await rows("goal --of alice.test").map { $0.text("goal") } == ["1000"])
    try await rows("goal --remove --of alice.test")
    #expect(try await rows("goal --of alice.test").isEmpty)
    #expect(try await kith("goal 10").status == .notAllowed)

    try await rows(["segments", "add", "loyal", "mutual"])
    try await rows(["segments", "add", "big", "segment loyal and followers > 20"])
    let counted = try await rows("segments count loyal --of alice.test")
    #expect(counted.map { $0.text("name") } == ["loyal"] && counted.first?.text("members") != nil)
    let listed = try await rows("segments --of alice.test")
    #expect(listed.map { $0.text("members") } == [nil, counted.first?.text("members")])
    let loyal = try await rows(["followers", "alice.test", "--where", "segment loyal"])
    #expect(counted.first?.text("members") == "\(loyal.count)")
    #expect(try await kith("segments remove loyal").status == .usage)
    #expect(try await kith("segments count absent --of alice.test").status == .notFound)
    #expect(try await user.kith(["segments", "add", "loyal", "segment big"]).status == .usage)
    #expect(
      try await user.kith(["followers", "alice.test", "--where", "segment huge"]).status == .usage)
    try await rows("segments remove loyal big")
    #expect(try await rows("segments").isEmpty)
  }
}
