// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships

/// The figures and charts of reports as a page.
///
/// What snapshots show is computed when the page is loaded; posts and followers are read when the reader asks for that.
struct AnalyticsPage {
  private let account: AccountInUse
  private let visit: Visit
  private let runs: AnalyticsRuns
  private let clock: ZonedCalendar
  private let now: Instant
  /// Or what is wrong with the days that were chosen.
  private let period: Result<AnalyticsPeriod, AnalyticsPeriod.FieldFault>

  private static let surveyed = Set(InsightMetric.allCases.filter(\.needsServers))

  /// - Throws: ``DashboardError``.
  init(_ visit: Visit, _ runs: AnalyticsRuns, _ clock: ZonedCalendar) throws {
    (account, self.visit, self.runs, self.clock) = (try visit.account(), visit, runs, clock)
    now = visit.workspace.time.instant
    let items = visit.form ?? visit.items
    do {
      period = .success(try AnalyticsPeriod(items, now: now, clock))
    } catch let fault as AnalyticsPeriod.FieldFault {
      period = .failure(fault)
    }
  }

  func response() async throws -> LocalResponse {
    var content = AnalyticsControls(
      account: account, now: now, clock: clock, period: period,
      asked: (visit.items["from"], visit.items["to"])
    ).html
    if case .success(let period) = period { content += try await figures(of: period) }
    var response = visit.page(
      Section.analytics.title, of: account, in: .analytics,
      under: "\(guest: account.name). Counts from the AppView, changes from own snapshots", content)
    if case .failure = period { response.status = 400 }
    return response
  }

  // MARK: Actions

  func takeSnapshot() throws -> LocalResponse {
    let period = try chosenPeriod()
    runs.takeSnapshot(of: account)
    return .seeOther(address(period))
  }

  func beginSurvey() throws -> LocalResponse {
    let period = try chosenPeriod()
    runs.survey(account, period, survey(period))
    return .seeOther(address(period))
  }

  /// The report as a file.
  func report() async throws -> LocalResponse {
    let insights = try await insights(try chosenPeriod())
    let page = insights.report.html()
    var response = LocalResponse(contentType: "text/html; charset=utf-8", body: Array(page.utf8))
    let day = AnalyticsPeriod.Day(at: insights.at, clock).text
    response.offer(asFileNamed: "\(account.name)-\(day).html")
    return response
  }

  private func chosenPeriod() throws -> AnalyticsPeriod {
    do { return try period.get() } catch {
      throw DashboardError.invalid("from and to", error.first ?? error.last ?? "these are not two days")
    }
  }

  private func address(_ period: AnalyticsPeriod, _ part: String = "analytics") -> String {
    "\(account.address(part))?\(period.query)"
  }

  // MARK: Data

  private func statistics(_ metrics: Set<InsightMetric>, _ period: AnalyticsPeriod) -> ComputeStatistics {
    var statistics = ComputeStatistics(of: account.did, metrics, clock: clock)
    statistics.period = period.statistics(now: now)
    statistics.showsWholeGrowth = period == .last(.all)
    statistics.wantsRows = false
    return statistics
  }

  private func survey(_ period: AnalyticsPeriod) -> ComputeStatistics {
    var survey = statistics(Self.surveyed, period)
    survey.usesLastSnapshots = true
    return survey
  }

  /// What snapshots show, and what was read from servers.
  private func insights(_ period: AnalyticsPeriod) async throws -> AccountInsights {
    var stored = statistics(Set(InsightMetric.allCases).subtracting(Self.surveyed), period)
    stored.isStored = true
    var insights = try await GatheredRun(stored, in: account.workspace, most: 1).outcome.insights
    if let survey = runs.survey(.survey(account.did, period)) { insights.add(survey: survey) }
    return insights
  }

  /// Nil if there is no snapshot.
  private func knownInsights(_ period: AnalyticsPeriod) async throws -> AccountInsights? {
    do { return try await insights(period) } catch let error as OperationError
      where error.code == .noHistory || error.code == .noSnapshotOf
    {
      return nil
    }
  }

  // MARK: Content

  private func figures(of period: AnalyticsPeriod) async throws -> HTML {
    let parts: HTML =
      if let insights = try await knownInsights(period) {
        content(insights, period)
      } else { empty(period) }
    return """
      <div class="stack l insights" id="analytics" data-on="history" data-fragment="\(address(period))">\(parts)</div>
      """
  }

  private func content(_ insights: AccountInsights, _ period: AnalyticsPeriod) -> HTML {
    var report = insights.report
    if let mutuals = insights.mutualSection { report.sections.append(mutuals) }
    let sections = AnalyticsSections(report, renderer)
    return """
      \(state(period, report))\(cards(report))\(sections.contents)\(sections.html(of: .snapshots))\(surveyState(period, insights))\
      \(sections.html(of: .survey))
      """
  }

  private func empty(_ period: AnalyticsPeriod) -> HTML {
    let progress = runs.progress(.snapshot(account.did))
    let button: HTML? =
      if case .running = progress { nil } else { "<div class=\"acts\">\(snapshotForm(period))</div>" }
    return """
      \(progress.flatMap { snapshotNote($0, period) })<section class="card"><div class="empty">\(Icon.chart.html)<h2>No snapshot yet</h2>\
      <p>A snapshot records who follows this account now. The second one tells who came, who left and why.</p>\(button)</div></section>
      """
  }

  /// The time of the figures, what can be done, and what is being done.
  private func state(_ period: AnalyticsPeriod, _ report: InsightReport) -> HTML {
    let progress = runs.progress(.snapshot(account.did))
    let button: HTML? = if case .running = progress { nil } else { snapshotForm(period) }
    let times = [report.subtitle, "time zone \(clock.name)"].compactMap(\.self).joined(separator: "; ")
    return """
      <div class="line sp"><p class="m xs when">\(times)</p><div class="acts">\(button)\
      <a class="b" href="\(address(period, "analytics/report.html"))" download>\(Icon.download.html)Export report</a></div></div>\
      \(progress.flatMap { snapshotNote($0, period) })
      """
  }

  private func snapshotForm(_ period: AnalyticsPeriod) -> HTML {
    form(
      "snapshot", period,
      "<button class=\"b\" id=\"take-snapshot\">\(Icon.refresh.html)Take snapshot</button>")
  }

  private func form(_ action: String, _ period: AnalyticsPeriod, _ button: HTML) -> HTML {
    let fields = period.items.map { item -> HTML in
      "<input type=\"hidden\" name=\"\(item.name)\" value=\"\(item.value)\">"
    }
    return """
      <form method="post" action="\(account.address("analytics/\(action)"))">\(visit.formField)\(fields)\(button)</form>
      """
  }

  private func snapshotNote(_ progress: AnalyticsRuns.Progress, _ period: AnalyticsPeriod) -> HTML? {
    switch progress {
    case .running(let start, let read):
      running("A snapshot is being taken", since: start, read: read, period)
    case .ended(let end, let faults) where !faults.isEmpty:
      failed("The snapshot of \(PageTime.html(Datetime(at: end))) is not complete.", faults)
    case .ended: nil
    }
  }

  private func running(_ what: String, since start: Instant, read: Int, _ period: AnalyticsPeriod) -> HTML {
    let count: HTML? = read > 0 ? ", \(Figure.words(read)) read so far" : nil
    return """
      <div class="note plain" role="status">\(Icon.clock.html)<div>\(what), since \(PageTime.html(Datetime(at: start)))\(count). \
      The result appears here. You can close the page.</div><div class="acts"><a class="b sm" href="\(address(period))">Load again</a></div></div>
      """
  }

  private func failed(_ what: HTML, _ faults: [String]) -> HTML {
    let sentences = faults.map { "<li>\($0)</li>" as HTML }
    return Notice(kind: .bad, sentence: "<b>\(what)</b><ul>\(sentences)</ul>").html
  }

  private func cards(_ report: InsightReport) -> HTML? {
    guard !report.cards.isEmpty else { return nil }
    let headline: HTML? = report.headline.map { "<p class=\"lead\">\($0)</p>" }
    return """
      <section class="card" aria-labelledby="figures"><h2 id="figures" class="vh">Key figures</h2>\
      \(renderer.list(of: report.cards))\(headline)\(ReportRenderer.list(of: report.notes))</section>
      """
  }

  // MARK: Survey

  /// When posts and followers were read, or how they can be.
  private func surveyState(_ period: AnalyticsPeriod, _ insights: AccountInsights) -> HTML {
    let survey = runs.survey(.survey(account.did, period))
    let progress = runs.progress(.survey(account.did, period))
    var note: HTML?
    var words = "Read posts and audience"
    switch progress {
    case .running(let start, let read):
      note = running("Posts and followers are being read", since: start, read: read, period)
    case .ended(let end, let faults) where !faults.isEmpty:
      note = failed("Posts and followers could not be read at \(PageTime.html(Datetime(at: end))).", faults)
    case .ended, nil: break
    }
    let source: HTML
    if let survey {
      words = "Read again"
      source = "Read from the network at \(PageTime.html(Datetime(at: survey.at)))"
    } else {
      source = """
        Engagement, best hours, top followers and mutuals, languages, likely bots: Kith reads the posts of this period and a sample of \
        the followers for these\(calls(period, insights)).
        """
    }
    var button: HTML? = form(
      "survey", period, "<button class=\"b\" id=\"begin-survey\">\(Icon.refresh.html)\(words)</button>")
    if case .running = progress { button = nil }
    return """
      <section class="card" aria-labelledby="survey-h"><div class="line sp"><div class="when"><h2 id="survey-h">Posts and audience</h2>\
      <p class="m s">\(source)</p></div>\(button)</div>\(note)</section>
      """
  }

  /// What a survey costs.
  private func calls(_ period: AnalyticsPeriod, _ insights: AccountInsights) -> String {
    let counts = insights.overview
    let plan = survey(period).cost(
      followers: counts?.followers?.value, follows: counts?.follows?.value,
      concurrency: account.workspace.concurrency)
    return plan.calls.map { ", with about \(Figure.words($0)) calls" } ?? ""
  }

  private var renderer: ReportRenderer {
    var renderer = ReportRenderer()
    (renderer.tableTitle, renderer.tablePrefix) = ("Show as table", "Table: ")
    renderer.width = { AnalyticsSections.isWide($0) ? 900 : 440 }
    renderer.locatesRows = true
    renderer.relation = "noopener noreferrer nofollow"
    renderer.address = { [account] page in
      InsightAccount.account(ofPage: page).map { account.address("profile/\($0)") }
    }
    renderer.listing = { [account] subject in
      let section: Section =
        switch subject {
        case .followers: .followers
        case .follows: .following
        case .mutuals: .mutuals
        case .blocks: .blocked
        }
      return account.address(section.rawValue)
    }
    return renderer
  }
}
