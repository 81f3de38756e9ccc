// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The sections about the number of followers: growth, people, forecast and goal.
extension AccountInsights {
  func growthSection(_ growth: GrowthCurve) -> InsightReport.Section {
    let most = ([growth.countAtStart].compactMap(\.self) + growth.survivors + growth.counts).map(\.value)
      .max()
    var paragraphs: [String] = []
    if growth.seam == nil {
      paragraphs = ["There is no snapshot of the followers yet."]
    } else if most == nil {
      paragraphs = ["No count of this time is known."]
    } else if most == 0 {
      paragraphs = ["This account has no followers yet."]
    } else if !growth.survivors.isEmpty, growth.measure == .counted {
      paragraphs = ["The counts are those of the profile, which also counts followers that no listing shows."]
    }
    return InsightReport.Section(
      id: "growth", heading: "Growth", paragraphs: paragraphs,
      chart: most ?? 0 > 0 ? growthChart(growth) : nil)
  }

  // MARK: People

  /// Who came and who left; empty if that was not asked for.
  var peopleSections: [InsightReport.Section] {
    if let changes { return [peopleSection(changes)] }
    guard wantsPeople, listing != nil else { return [] }
    return [
      InsightReport.Section(
        id: "people", heading: "Who came and who left",
        paragraphs: ["Not known yet: the second snapshot of the followers tells who came and who left."])
    ]
  }

  private func peopleSection(_ changes: AudienceChanges) -> InsightReport.Section {
    let shown = changes.came + changes.left
    let rows = shown.map { change in
      [
        change.account.name, change.reason ?? "came", timeText(change.time),
        change.followers.map(Self.text) ?? "", change.account.displayName ?? "",
      ]
    }
    return InsightReport.Section(
      id: "people", heading: "Who came and who left",
      paragraphs: [([sentence(changes)] + shortened(changes)).joined(separator: " ")],
      table: rows.isEmpty
        ? nil
        : ChartTable(
          headings: ["Account", "What", "When", "Followers", "Name"], rows: rows,
          links: shown.map(\.account.page)),
      notes: [openNote(changes.pair)].compactMap(\.self))
  }

  /// That not all changes are in the table.
  private func shortened(_ changes: AudienceChanges) -> [String] {
    let totals = changes.totals
    return totals.came > changes.came.count || totals.left > changes.left.count
      ? ["The latest \(AudienceChanges.mostShown) of each are shown."] : []
  }

  /// What the last snapshot cannot have found; nil if it read the whole listing.
  private func openNote(_ pair: SnapshotPair) -> String? {
    guard pair.readUntil < pair.last.endedAt else { return nil }
    return
      "The listing was last read to its end on \(momentText(pair.readUntil)). Followers that a block or a "
      + "deactivation has hidden since then are not found yet."
  }

  /// A time, or the days between which it was: `27–28 Nov`.
  private func timeText(_ time: Membership.TimeBounds) -> String {
    let end = Moment.shortDayText(time.by, clock)
    guard let after = time.after else { return "by \(end)" }
    let start = Moment.shortDayText(after, clock)
    if Moment.dayText(after, clock) == Moment.dayText(time.by, clock) { return end }
    let isSameMonth = start.split(separator: " ").last == end.split(separator: " ").last
    let isLong = time.by - after > .days(28)
    guard !isLong, isSameMonth else {
      return isLong
        ? "\(Moment.dayText(after, clock)) – \(Moment.dayText(time.by, clock))" : "\(start) – \(end)"
    }
    return "\(start.prefix { $0 != " " })–\(end)"
  }

  // MARK: Forecast and goal

  func forecastSection(_ forecast: Result<Forecast, Forecast.Refusal>) -> InsightReport.Section {
    switch forecast {
    case .failure(let refusal):
      let words = "There is no forecast: \(refusal.reason)."
      let chart = countChart("Followers", notes: [words])
      return InsightReport.Section(
        id: "forecast", heading: "Forecast of followers", paragraphs: chart == nil ? [words] : [],
        chart: chart)
    case .success(let forecast):
      let backtest = forecast.backtest
      let error = backtest.meanCount > 0 ? backtest.meanError / backtest.meanCount : 0
      return InsightReport.Section(
        id: "forecast", heading: "Forecast of followers",
        paragraphs: [
          forecastSentence(forecast)
            + "Earlier forecasts of this kind, \(backtest.daysAhead) days ahead, were off by "
            + "\(ValueKind.share.text(error)) on average."
        ], chart: forecastChart(forecast))
    }
  }

  /// The last point in words.
  private func forecastSentence(_ forecast: Forecast) -> String {
    guard let last = forecast.points.last else { return "" }
    func text(_ value: Double) -> String { ValueKind.count.text(value.rounded()) }
    return
      "About \(text(last.expected)) followers on \(Moment.dayText(last.at, .utc)); 95 % interval "
      + "\(text(last.possible.lowerBound)) to \(text(last.possible.upperBound)). "
  }

  func goalSection(_ goal: GoalProgress) -> InsightReport.Section {
    let progress =
      "\(Self.text(goal.value)) of \(Self.text(goal.goal)) followers; "
      + "\(ValueKind.share.text(goal.share)) of the way since the goal was set."
    // A forecast draws the line of the goal, too.
    let chart =
      forecast == nil ? countChart("Goal", subtitle: progress, notes: [outlookSentence(goal)]) : nil
    return InsightReport.Section(
      id: "goal", heading: "Goal", paragraphs: chart == nil ? ["\(progress) \(outlookSentence(goal))"] : [],
      chart: chart)
  }

  /// When a goal will be reached. Forecasts are about UTC days.
  private func outlookSentence(_ goal: GoalProgress) -> String {
    func day(_ moment: Instant) -> String { Moment.dayText(moment, .utc) }
    switch goal.outlook {
    case .reached: return "The goal is reached."
    case .expected(let moment):
      let start = goal.earliest.map { " (80 % interval: from \(day($0))" } ?? ""
      let end = start.isEmpty ? "" : goal.latest.map { " to \(day($0)))" } ?? " on)"
      return "Expected around \(day(moment))\(start)\(end)."
    case .notBy(let end):
      let earliest = goal.earliest.map { "; the upper end of its 80 % interval does around \(day($0))" } ?? ""
      return "The forecast does not reach it by \(day(end))\(earliest)."
    case .noForecast(let refusal):
      return "There is no expected date, because there is no forecast: \(refusal.reason)."
    }
  }
}

extension Forecast.Refusal {
  /// Why there is no forecast, as a clause.
  public var reason: String {
    switch self {
    case .tooShort(let days, let weeks):
      "it needs counts of \(Forecast.fewestDays) consecutive days or \(Forecast.fewestWeeks) weeks, and so far there "
        + "are \(days) \(days == 1 ? "day" : "days") and \(weeks) \(weeks == 1 ? "week" : "weeks")"
    case .tooInaccurate(let backtest):
      "earlier forecasts of this kind, \(backtest.daysAhead) days ahead, were off by "
        + "\(ValueKind.count.text(backtest.meanError.rounded())) on average; assuming no change, by "
        + ValueKind.count.text(backtest.meanErrorOfNoChange.rounded())
    }
  }
}
