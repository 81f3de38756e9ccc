// SPDX-License-Identifier: Apache-2.0

extension AccountInsights {
  /// All that was learned, as a report.
  public var report: InsightReport { report(of: Set(InsightMetric.allCases)) }

  /// Some metrics as a report: cards, and sections for each of the others.
  public func report(of metrics: Set<InsightMetric>) -> InsightReport {
    let days = (Moment.dayText(time.lowerBound, clock), Moment.dayText(time.upperBound.moved(by: -1), clock))
    return InsightReport(
      title: actor.displayName.map { "\($0) (\(actor.name))" } ?? actor.name,
      subtitle: "Changes and flows: \(days.0) – \(days.1)",
      generatedAt: at, clock: clock, cards: metrics.contains(.cards) || metrics.contains(.goal) ? cards : [],
      sections: InsightMetric.allCases.filter(metrics.contains).flatMap(sections),
      notes: notes)
  }

  /// The sections of one metric; none where nothing was learned.
  public func sections(_ metric: InsightMetric) -> [InsightReport.Section] {
    switch metric {
    case .cards: []
    case .growth: growth.map { [growthSection($0)] } ?? []
    case .flow: flows.isEmpty ? [] : [flowSection]
    case .cohorts: cohorts.isEmpty ? [] : [cohortSection]
    case .followBack: followBack.map { [followBackSection($0)] } ?? []
    // A forecast is drawn on the curve that it goes on.
    case .forecast: forecast.map { [forecastSection($0)] } ?? []
    case .goal: goal.map { [goalSection($0)] } ?? []
    case .engagement: engagement.map { [engagementSection($0)] } ?? []
    case .times: engagement.map(timeSections) ?? []
    case .top: topSections
    case .activity: activity.map { [activitySection($0)] } ?? []
    case .audience: audience.map(audienceSections) ?? []
    case .bots: bots.map { [botSection($0)] } ?? []
    case .segments: segments.isEmpty ? [] : [segmentSection]
    case .blocks: blocks.map { [blockSection($0)] } ?? []
    }
  }

  // MARK: Cards

  /// The figures that matter, with their changes.
  public var cards: [InsightReport.Card] {
    guard let overview else { return goal.map { [card($0)] } ?? [] }
    var cards = [
      overview.followers.map { card("Followers", $0, isMoreBetter: true) },
      overview.follows.map { card("Following", $0) }, overview.posts.map { card("Posts", $0) },
      overview.ratio.map {
        InsightReport.Card(
          "Ratio", Decimal.text($0, digits: 2), detail: "followers / following")
      },
      overview.mutuals.map { mutuals in
        InsightReport.Card(
          "Mutuals", ValueKind.count.text(Double(mutuals)),
          detail: overview.mutualRate.map { "\(ValueKind.share.text($0)) of those followed follow back" })
      },
      overview.blocks.map { card("Blocking", $0) },
    ].compactMap(\.self)
    if let goal { cards.append(card(goal)) }
    return cards
  }

  private func card(_ label: String, _ trend: Trend, isMoreBetter: Bool = false) -> InsightReport.Card {
    let change = trend.change.map { change in
      change == 0 ? "no change" : ValueKind.count.signedText(Double(change))
    }
    let sense: InsightReport.Card.Sense =
      switch trend.change {
      case let change? where isMoreBetter && change != 0: change > 0 ? .better : .worse
      default: .neutral
      }
    let before = trend.changeBefore.map { "\(ValueKind.count.signedText(Double($0))) in the time before" }
    return InsightReport.Card(
      label, ValueKind.count.text(Double(trend.value)), change: change, sense: sense, detail: before)
  }

  private func card(_ goal: GoalProgress) -> InsightReport.Card {
    let detail =
      goal.isReached
      ? "reached"
      : goal.expected.map { "expected around \(Moment.dayText($0, clock))" } ?? "no date can be told"
    return InsightReport.Card(
      "Goal: \(ValueKind.count.text(Double(goal.goal)))", ValueKind.share.text(goal.share),
      sense: goal.isReached ? .better : .neutral, detail: detail)
  }

  // MARK: Followers

  private func growthSection(_ growth: GrowthCurve) -> InsightReport.Section {
    InsightReport.Section(
      id: "growth", heading: "Growth",
      paragraphs: growth.seam == nil
        ? ["No snapshot has counted followers yet."]
        : [
          "Before the first snapshot only those are known who are still there: the true counts were higher. From then on "
            + "they are counts."
        ], chart: growthChart(growth))
  }

  private var flowSection: InsightReport.Section {
    let whole = flows.filter { $0.coverage == .whole }
    let rates = whole.compactMap(\.churnRate)
    var paragraphs: [String] = []
    if !rates.isEmpty {
      let unit = whole.first?.period.unit.rawValue ?? "period"
      let mean = rates.reduce(0, +) / Double(rates.count)
      paragraphs.append(
        "On average \(ValueKind.share.text(mean)) of the followers leave in a \(unit); new ones: "
          + "\(ValueKind.count.text(whole.reduce(0.0) { $0 + Double($1.gained + $1.returned) } / Double(whole.count)))."
      )
    }
    return InsightReport.Section(
      id: "flow", heading: "Who came and who left", paragraphs: paragraphs, chart: flowChart)
  }

  private var cohortSection: InsightReport.Section {
    let isKnown = cohorts.contains { $0.isKnown }
    return InsightReport.Section(
      id: "cohorts", heading: "Who stays",
      paragraphs: [
        isKnown
          ? "How many of those who came in a month are still there."
          : "Nothing is known yet: it takes snapshots over a whole month."
      ], chart: isKnown ? cohortChart : nil)
  }

  private func followBackSection(_ times: FollowBackTimes) -> InsightReport.Section {
    let all = times.count + times.waiting + times.followedFirst + times.undated
    var paragraphs = [
      "Of \(ValueKind.count.text(Double(all))) accounts that are followed, "
        + "\(ValueKind.count.text(Double(all - times.waiting))) follow back; "
        + "\(ValueKind.count.text(Double(times.followedFirst))) of these followed first."
    ]
    if let quartiles = times.quartiles {
      paragraphs.append(
        "Half of those who were followed first and follow back did so within "
          + "\(ValueKind.duration.text(quartiles.median)), a quarter within "
          + "\(ValueKind.duration.text(quartiles.lower)), three quarters within "
          + "\(ValueKind.duration.text(quartiles.upper)).")
    }
    let rows = [
      ("Follow back after they were followed", times.count), ("Followed first", times.followedFirst),
      ("Follow back, order unknown", times.undated), ("Do not follow back", times.waiting),
    ].map { [$0.0, ValueKind.count.text(Double($0.1))] }
    return InsightReport.Section(
      id: "follow-back", heading: "Time to follow back", paragraphs: paragraphs,
      table: ChartTable(headings: ["Followed accounts", "Count"], rows: rows),
      notes: ["Dates are those of the records, which their writers choose."])
  }

  private func forecastSection(_ forecast: Result<Forecast, Forecast.Refusal>) -> InsightReport.Section {
    switch forecast {
    case .failure(let refusal):
      return InsightReport.Section(id: "forecast", heading: "Forecast", paragraphs: [Self.text(refusal)])
    case .success(let forecast):
      let backtest = forecast.backtest
      let error = backtest.meanCount > 0 ? backtest.meanError / backtest.meanCount : 0
      return InsightReport.Section(
        id: "forecast", heading: "Forecast",
        paragraphs: [
          "If it goes on as it did. Forecasts of the past, \(backtest.daysAhead) days ahead, were off by "
            + "\(ValueKind.share.text(error)) on average."
        ], chart: forecastChart(forecast))
    }
  }

  private static func text(_ refusal: Forecast.Refusal) -> String {
    switch refusal {
    case .tooShort(let days):
      "No forecast: it needs counts of \(Forecast.fewestDays) days in a row, and there are \(days)."
    case .tooInaccurate(let backtest):
      "No forecast: forecasts of the past, \(backtest.daysAhead) days ahead, were off by "
        + "\(ValueKind.count.text(backtest.meanError.rounded())) on average, "
        + "\(ValueKind.count.text(backtest.meanErrorOfNoChange.rounded())) if nothing had changed."
    }
  }

  private func goalSection(_ goal: GoalProgress) -> InsightReport.Section {
    var paragraph =
      "\(ValueKind.count.text(Double(goal.value))) of \(ValueKind.count.text(Double(goal.goal))) followers; "
      + "\(ValueKind.share.text(goal.share)) of the way since the goal was set."
    if let expected = goal.expected {
      paragraph += " It is expected around \(Moment.dayText(expected, clock))"
      paragraph += goal.earliest.map { ", with 80 % from \(Moment.dayText($0, clock))" } ?? ""
      paragraph += goal.latest.map { " to \(Moment.dayText($0, clock))." } ?? " on."
    } else if !goal.isReached {
      paragraph += " No date can be told: there is no forecast that reaches it."
    }
    return InsightReport.Section(id: "goal", heading: "Goal", paragraphs: [paragraph])
  }

  // MARK: Posts

  private func engagementSection(_ engagement: Engagement) -> InsightReport.Section {
    let rate = engagement.rate.map { rate in
      "Half of \(ValueKind.count.text(Double(engagement.posts))) posts had \(ValueKind.rate.text(rate.value)) likes, "
        + "reposts, replies and quotes for each follower at that time, or more "
        + "(\(ValueKind.rate.text(rate.interval.lowerBound)) to \(ValueKind.rate.text(rate.interval.upperBound)))."
    }
    return InsightReport.Section(
      id: "engagement", heading: "Engagement",
      paragraphs: [
        rate ?? "Too few posts: \(engagement.posts), and \(EngagementGroup<Int>.fewestPosts) are needed."
      ],
      chart: kindChart(engagement))
  }

  private func timeSections(_ engagement: Engagement) -> [InsightReport.Section] {
    let best = engagement.byHour.filter { $0.comparison == .better }.map { Self.hour($0.key) }
    let words =
      best.isEmpty
      ? "No hour stands out: the 95 % intervals overlap that of all posts."
      : "Posts at \(best.joined(separator: ", ")) did better than all together: the 95 % intervals do not meet."
    return [
      InsightReport.Section(
        id: "hours", heading: "Best hours to post", paragraphs: [words], chart: hourChart(engagement)),
      InsightReport.Section(
        id: "weekdays", heading: "Best weekdays to post", chart: weekdayChart(engagement)),
    ]
      // With fewer posts every hour of the week is empty.
      + (engagement.byHourOfWeek.contains { $0.rate != nil }
        ? [InsightReport.Section(id: "week", heading: "Hours of the week", chart: weekChart(engagement))]
        : [])
  }

  static func hour(_ hour: Int) -> String { hour < 10 ? "0\(hour):00" : "\(hour):00" }

  // MARK: Audience

  private var topSections: [InsightReport.Section] {
    func section(
      _ id: String, _ heading: String, _ words: String, _ found: TopAccounts?, _ figure: String,
      _ text: (TopAccounts.Entry) -> [String], headings: [String]
    ) -> [InsightReport.Section] {
      guard let found, !found.entries.isEmpty else { return [] }
      let rows = found.entries.map { entry in
        let account = top.account(entry.account)
        return [account.name, account.displayName ?? ""] + text(entry)
      }
      return [
        InsightReport.Section(
          id: id, heading: heading, paragraphs: [words],
          table: ChartTable(headings: ["Account", "Name", figure] + headings, rows: rows))
      ]
    }
    let count = { (entry: TopAccounts.Entry) in ValueKind.count.text(entry.value) }
    return section(
      "top-followers", "Most followed followers",
      "Among \(ValueKind.count.text(Double(top.byFollowers?.candidates ?? 0))) followers that were looked at.",
      top.byFollowers, "Followers", { [count($0)] }, headings: [])
      + section(
        "top-interactions", "Most engaged accounts",
        "By the latest posts: likes, reposts and quotes together.",
        top.byInteractions, "Interactions",
        { entry in
          let one = top.interactions[entry.account] ?? Interactions()
          return [count(entry)]
            + [one.likes, one.reposts, one.quotes].map { ValueKind.count.text(Double($0)) }
        }, headings: ["Likes", "Reposts", "Quotes"])
      + section(
        "top-influence", "Most influence within the audience",
        "The share of a sample of the followers that follows each of the most followed and most engaged.",
        top.byInfluence, "Share",
        { entry in
          [
            ValueKind.share.text(entry.value),
            entry.estimate.map { estimate in
              let (low, high) = (estimate.interval.lowerBound, estimate.interval.upperBound)
              return
                "\(ValueKind.share.text(low)) to \(ValueKind.share.text(high)) (n = \(estimate.sampleSize))"
            } ?? "",
          ]
        }, headings: ["With 95 %"])
  }

  private func activitySection(_ activity: Composition<AgeClass>) -> InsightReport.Section {
    let active = [AgeClass.week, .month].reduce(0) { sum, age in
      sum + (activity.parts.first { $0.key == age }?.count ?? 0)
    }
    let share = Estimate.share(active, of: activity.known).map { estimate in
      "\(ValueKind.share.text(estimate.value)) of the followers were active within 30 days "
        + "(\(ValueKind.share.text(estimate.interval.lowerBound)) to "
        + "\(ValueKind.share.text(estimate.interval.upperBound)), n = \(activity.known))."
    }
    return InsightReport.Section(
      id: "activity", heading: "Active and silent followers",
      paragraphs: [share ?? "Of no follower it could be learned when their repository last changed."],
      chart: activityChart(activity))
  }

  private func audienceSections(_ audience: AudienceParts) -> [InsightReport.Section] {
    func section(_ id: String, _ heading: String, _ chart: Chart) -> [InsightReport.Section] {
      chart.isEmpty ? [] : [InsightReport.Section(id: id, heading: heading, chart: chart)]
    }
    let labels = audience.labels.map { part in
      let labeler = bots?.labelers[part.label.labeler] ?? InsightAccount(part.label.labeler)
      return [part.label.value, labeler.name, ValueKind.count.text(Double(part.count))]
    }
    return section("ages", "Age of accounts", ageChart(audience))
      + section(
        "languages", "Languages",
        compositionChart("Followers by the language of their posts", audience.languages) { $0 })
      + section(
        "domains", "Domains of handles",
        compositionChart("Followers by the domain of their handle", audience.domains, \.description))
      + section(
        "verification", "Verification",
        compositionChart("Followers by verification", audience.verification) { $0 })
      + (labels.isEmpty
        ? []
        : [
          InsightReport.Section(
            id: "labels", heading: "Labels",
            paragraphs: [
              "What labelers say of \(ValueKind.count.text(Double(audience.sampleSize))) followers. It is their word."
            ], table: ChartTable(headings: ["Label", "Labeler", "Followers"], rows: labels))
        ])
  }

  private func botSection(_ bots: BotFindings) -> InsightReport.Section {
    let share = bots.share.map { share in
      "\(bots.likely.count) of \(share.sampleSize) followers that were looked at are likely to be programs: "
        + "\(ValueKind.share.text(share.value)) (\(ValueKind.share.text(share.interval.lowerBound)) to "
        + "\(ValueKind.share.text(share.interval.upperBound)))."
    }
    let rows = bots.likely.map { finding in
      [
        finding.account.name, finding.account.displayName ?? "",
        finding.signs.map { $0.text(naming: bots.labelers) }.joined(separator: "; "),
      ]
    }
    return InsightReport.Section(
      id: "bots", heading: "Likely bots", paragraphs: [share ?? "Nobody was looked at."],
      table: rows.isEmpty ? nil : ChartTable(headings: ["Account", "Name", "Why"], rows: rows),
      notes: [
        "Two reasons make one, or a label, which is the word of its labeler. No reason is a proof: look before you act."
      ])
  }

  private var segmentSection: InsightReport.Section {
    InsightReport.Section(id: "segments", heading: "Segments", chart: segmentChart)
  }

  private func blockSection(_ blocks: BlockTimeline) -> InsightReport.Section {
    var paragraphs = blocks.waves.map { wave in
      func net(_ value: Double?) -> String { value.map(ValueKind.count.signedText) ?? "unknown" }
      return
        "\(Moment.dayText(wave.time.lowerBound, clock)) to \(Moment.dayText(wave.time.upperBound - 1, clock)): "
        + "\(ValueKind.count.text(Double(wave.blocks))) blocks, where "
        + "\(ValueKind.count.text(wave.usual)) a day are usual. Net growth a day: \(net(wave.netBefore)) before, "
        + "\(net(wave.netMeanwhile)) meanwhile, \(net(wave.netAfter)) after."
    }
    if paragraphs.isEmpty { paragraphs = ["No wave of blocks was seen."] }
    return InsightReport.Section(
      id: "blocks", heading: "Blocks", paragraphs: paragraphs, chart: blockChart(blocks),
      notes: blocks.knowsOnlyLosses
        ? [
          "Who blocks the account is known only of followers that left for it; an index of backlinks knows more."
        ]
        : ["An index knows a lower bound."])
  }
}
