// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard

/// The page of analytics, of an account on a network in this process.
@Suite(.timeLimit(.minutes(1))) struct AnalyticsPageTests {
  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let dashboard: Dashboard
  private let visitor: Visitor

  private static let page = "/@alice.test/analytics"

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(on: network)
    dashboard = Dashboard(user.workspace(), at: DashboardPlace(port: 4_000))
    visitor = try await Visitor(dashboard, port: 4_000)
  }

  private func takeSnapshot() async throws {
    let run = try await user.run(TakeSnapshots(of: .these([try user.did("alice")])))
    #expect(run.outcome.summary.failure == nil)
  }

  private func text(_ query: String = "") async -> String { await visitor.get(Self.page + query).text }

  /// Posts a form, and waits until what it begins has ended.
  private func post(_ action: String, _ items: KeyValuePairs<String, String> = ["period": "all"]) async throws
  {
    let response = await visitor.post("\(Self.page)/\(action)", form: items)
    #expect(response.status == 303 && response.location == "\(Self.page)?period=all")
    try await eventually { await !text("?period=all").contains("role=\"status\"") }
  }

  /// What open pages are told meanwhile, until it has come so often.
  private func told(_ times: Int, _ event: String, _ work: () async throws -> Void) async throws {
    let heard = Watched("")
    let page = Task { [dashboard] in
      try await dashboard.events.stream(after: nil) { bytes in
        heard.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      }
    }
    await heard.until { $0.contains(":\n\n") }
    try await work()
    await heard.until { $0.ranges(of: "event: \(event)\n").count == times }
    page.cancel()
    _ = try? await page.value
  }

  // MARK: Snapshots

  @Test func withoutASnapshotThePageLeadsToTheFirstOne() async throws {
    let page = await visitor.get(Self.page)
    #expect(page.status == 200 && page.text.contains("No snapshot yet"))
    #expect(page.text.contains("action=\"\(Self.page)/snapshot\"") && !page.text.contains("Key figures"))
    try await post("snapshot")
    let text = await text()
    #expect(text.contains("Key figures") && text.contains("id=\"s-growth\""))
    #expect(!text.contains("No snapshot yet") && !text.contains("role=\"alert\""))
  }

  @Test func aSnapshotThatIsBeingTakenIsNotTakenTwice() async throws {
    network.begin(.serverError)
    // One begin, one end.
    try await told(2, "history") {
      for _ in 0..<2 {
        #expect(await visitor.post("\(Self.page)/snapshot", form: ["period": "week"]).status == 303)
      }
      let running = await text()
      #expect(running.contains("A snapshot is being taken") && running.contains("role=\"status\""))
      #expect(!running.contains("id=\"take-snapshot\""), "it has no button")
      await dashboard.stop()
    }
    let ended = await text()
    #expect(ended.contains("is not complete") && ended.contains("role=\"alert\""))
    #expect(ended.contains("id=\"take-snapshot\""), "it can be tried again")
  }

  @Test func pagesAreToldOfASnapshot() async throws {
    try await told(2, "history") { try await post("snapshot") }
    let text = await text("?period=year")
    #expect(text.contains("data-on=\"history\" data-fragment=\"\(Self.page)?period=year\""))
  }

  // MARK: Periods

  @Test(arguments: ["week", "month", "year", "all"]) func aPeriodIsMarked(period: String) async throws {
    try await takeSnapshot()
    let text = await text("?period=\(period)")
    let current = text.matches(of: /href="[^"]*\?period=(\w+)" aria-current="page"/)
    #expect(current.map { String($0.1) } == [period])
    #expect(!text.contains("type=\"date\""))
  }

  @Test func aMonthIsShownIfNoPeriodIsNamed() async throws {
    try await takeSnapshot()
    #expect(await text().contains("?period=month\" aria-current=\"page\""))
  }

  @Test func twoDaysAreARange() async throws {
    try await takeSnapshot()
    let today = AnalyticsPeriod.Day(at: user.workspace().time.instant, .utc).text
    let page = await visitor.get("\(Self.page)?from=2024-02-28&to=\(today)")
    #expect(page.status == 200 && page.text.contains("id=\"s-growth\""))
    #expect(page.text.contains("name=\"from\" value=\"2024-02-28\""))
    #expect(page.text.contains("aria-current=\"page\">Own…"))
  }

  @Test(arguments: [
    ("from=2024-13-01&to=2024-02-01", "from", "is not a day of the calendar"),
    ("from=2024-01-01&to=tomorrow", "to", "is not a day of the calendar"),
    ("to=2024-02-01", "from", "Choose a day."), ("from=9999-01-01", "from", "still to come"),
    ("from=2024-02-02&to=2024-02-01", "to", "before the first one"),
    ("from=%3Cscript%3E&to=2024-02-01", "from", "“&lt;script&gt;” is not a day"),
  ])
  func aWrongDayIsNamedBesideItsField(query: String, field: String, words: String) async throws {
    try await takeSnapshot()
    let page = await visitor.get("\(Self.page)?\(query)")
    #expect(page.status == 400)
    let error = try #require(
      page.text.firstMatch(of: /<p class="err" id="(\w+)-error"[^>]*>(?:<svg.*?<\/svg>)?(.*?)<\/p>/))
    #expect(error.1 == field && error.2.contains(words), "\(error.2)")
    #expect(
      page.text.contains("aria-describedby=\"\(field)-error\"") && !page.text.contains("id=\"s-growth\""))
  }

  @Test(arguments: ["period=decade", "period="]) func anotherPeriodIsRefused(query: String) async {
    let page = await visitor.get("\(Self.page)?\(query)")
    #expect(page.status == 400 && page.text.contains("use week, month, year, all"))
  }

  @Test func aSnapshotOfNoPeriodIsNotTaken() async throws {
    for action in ["snapshot", "survey"] {
      let response = await visitor.post("\(Self.page)/\(action)", form: ["from": "x", "to": "y"])
      #expect(response.status == 400)
    }
    #expect(await text().contains("No snapshot yet"))
  }

  // MARK: Figures

  @Test func thePageHasTheFiguresOfTheReport() async throws {
    try await takeSnapshot()
    var request = ComputeStatistics(
      of: try user.did("alice"), Set(InsightMetric.allCases.filter { !$0.needsServers }))
    (request.isStored, request.wantsRows, request.period) = (true, false, .whole)
    let report = try await user.run(request).outcome.insights.report
    let text = await text("?period=all")
    #expect(!report.sections.isEmpty && !report.cards.isEmpty)
    for card in report.cards { #expect(text.contains(">\(card.value)<"), "\(card)") }
    for section in report.sections {
      #expect(text.contains("<section class=\"panel\" id=\"s-\(section.id)\""), "\(section.id)")
    }
    for part in [" style=", "<style", " onclick=", "javascript:"] { #expect(!text.contains(part), "\(part)") }
  }

  @Test func cardsLeadToTheListings() async throws {
    try await takeSnapshot()
    let text = await text()
    for section in ["followers", "following", "mutuals"] {
      #expect(text.contains("<span class=\"value\"><a href=\"/@alice.test/\(section)\">"), "\(section)")
    }
  }

  @Test func accountsOfASurveyLeadToTheirProfiles() async throws {
    try await takeSnapshot()
    #expect(await text("?period=all").contains("with about "), "it says what it costs")
    try await post("survey")
    let text = await text("?period=all")
    for section in ["top-followers", "top-mutuals"] {
      let panel = try #require(text.split(separator: "id=\"s-\(section)\"").last?.prefix(3_000))
      #expect(panel.contains("href=\"/@alice.test/profile/did:plc:"), "\(section)")
    }
    let elsewhere = text.matches(of: /href="https:\/\/[^"]*"( rel="noopener noreferrer nofollow")?/)
    #expect(elsewhere.allSatisfy { $0.0.contains("/post/") && $0.1 != nil }, "only posts are on other sites")
    #expect(text.contains("Read again") && !text.contains("role=\"alert\""))
    #expect(await self.text("?period=week").contains("Read posts and audience"), "it is about its period")
  }

  @Test func aSurveyTakesNoSnapshot() async throws {
    try await takeSnapshot()
    clock.advance(by: .days(9))
    let before = try await user.run(ListSnapshots(of: try user.did("alice"))).rows.count
    try await post("survey")
    #expect(try await user.run(ListSnapshots(of: try user.did("alice"))).rows.count == before)
  }

  @Test func theReportIsAFile() async throws {
    try await takeSnapshot()
    let file = await visitor.get("\(Self.page)/report.html?period=year")
    let name = try #require(file.fields.first { $0.name == "Content-Disposition" }?.value)
    #expect(file.status == 200 && name.hasPrefix("attachment; filename=\"alice.test-"))
    #expect(file.text.hasPrefix("<!doctype html>") && file.text.contains("Content-Security-Policy"))
    #expect(file.text.contains("https://bsky.app/profile/") || !file.text.contains("<a href=\"/@"))
    #expect(await visitor.get("\(Self.page)/report.html?from=1").status == 400)
  }
}
