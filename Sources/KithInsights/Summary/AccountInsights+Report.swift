// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension AccountInsights {
  /// All insights as a report.
  public var report: InsightReport { report(of: Set(InsightMetric.allCases)) }

  /// Some metrics as a report: cards, and sections for the other metrics.
  public func report(of metrics: Set<InsightMetric>) -> InsightReport {
    let days = (
      Moment.dayText(time.lowerBound, clock), Moment.dayText(time.upperBound - .microseconds(1), clock)
    )
    let sections = InsightMetric.allCases.filter(metrics.contains).flatMap(sections)
    let main = Self.mainSections.compactMap { id in sections.first { $0.id == id } }
    let rest = sections.filter { !Self.mainSections.contains($0.id) }.map { section in
      var section = section
      section.isFolded = !main.isEmpty
      return section
    }
    return InsightReport(
      title: actor.displayName.map { "\($0) (\(actor.name))" } ?? actor.name,
      subtitle: "\(isPast ? "Numbers of \(days.1). " : "")Changes and flows: \(days.0) – \(days.1)",
      headline: headline, generatedAt: at, clock: clock,
      cards: metrics.contains(.cards) || metrics.contains(.goal) ? cards : [], sections: main + rest,
      notes: gaps.map(\.sentence))
  }

  /// What the owner of an account wants to know first, in this order; the others are folded.
  private static let mainSections = ["growth", "people", "posts"]

  /// How many follow, and what changed, in a sentence; nil if that is not known.
  private var headline: String? {
    guard let followers = overview?.followers else { return nil }
    func text(_ count: Int) -> String { ValueKind.count.text(Double(count)) }
    var sentence = "\(text(followers.value)) \(followers.value == 1 ? "follower" : "followers")"
    if let change = followers.change, let since = followers.since {
      sentence +=
        change == 0
        ? ", as many as on \(Moment.dayText(since, clock))"
        : ", \(text(abs(change))) \(change > 0 ? "more" : "fewer") than on \(Moment.dayText(since, clock))"
    }
    guard let changes else { return sentence + "." }
    sentence += ". \(text(changes.cameCount)) came and \(text(changes.leftCount)) left"
    if let since = changes.leftSince, since < time.lowerBound - .days(2) {
      sentence += ", some of them perhaps since \(Moment.dayText(since, clock))"
    }
    return sentence + "."
  }

  /// The sections of one metric; empty if nothing is known.
  public func sections(_ metric: InsightMetric) -> [InsightReport.Section] {
    switch metric {
    case .cards: []
    case .growth: growth.map { [growthSection($0)] } ?? []
    case .flow: (changes.map { [peopleSection($0)] } ?? []) + (flows.isEmpty ? [] : [flowSection])
    case .cohorts: cohorts.isEmpty ? [] : [cohortSection]
    case .followBack: followBack.map { [followBackSection($0)] } ?? []
    // The forecast chart includes the past counts.
    case .forecast: forecast.map { [forecastSection($0)] } ?? []
    case .goal: goal.map { [goalSection($0)] } ?? []
    case .engagement:
      (bestPosts.isEmpty ? [] : [postSection]) + (engagement.map { [engagementSection($0)] } ?? [])
    case .times: engagement.map(timeSections) ?? []
    case .audienceTimes: audienceTimes.map(audienceTimeSections) ?? []
    case .top: topSections
    case .activity: activity.map { [activitySection($0)] } ?? []
    case .audience: audience.map(audienceSections) ?? []
    case .bots: bots.map { [botSection($0)] } ?? []
    case .segments: segments.isEmpty ? [] : [segmentSection]
    case .blocks: blocks.map { [blockSection($0)] } ?? []
    }
  }

  // MARK: Cards

  private func mutualDetail(_ overview: Overview) -> String? {
    if let unlisted = overview.unlistedFollowers, unlisted > 0 {
      return "\(ValueKind.count.text(Double(unlisted))) more may be"
    }
    return overview.mutualRate.map { "\(ValueKind.share.text($0)) follow back" }
  }

  /// The key figures with their changes.
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
          "Mutuals",
          ((overview.unlistedFollowers ?? 0) > 0 ? "≥ " : "") + ValueKind.count.text(Double(mutuals)),
          detail: mutualDetail(overview))
      },
      overview.blocks.map { card("Blocking", $0) },
    ].compactMap(\.self)
    if let goal { cards.append(card(goal)) }
    return cards
  }

  private func card(_ label: String, _ trend: Trend, isMoreBetter: Bool = false) -> InsightReport.Card {
    // Two counts of one day show no growth.
    let change = trend.change.flatMap { change in
      trend.since.flatMap { since in
        trend.at - since < .days(1) / 2 && time.upperBound - time.lowerBound > .days(1)
          ? nil
          : (change == 0 ? "no change" : ValueKind.count.signedText(Double(change)))
            + " \(span(since, trend.at))"
      }
    }
    let sense: InsightReport.Card.Sense =
      switch trend.change {
      case let change? where isMoreBetter && change != 0: change > 0 ? .better : .worse
      default: .neutral
      }
    let before = trend.changeBefore.map { "\(ValueKind.count.signedText(Double($0))) in the period before" }
    // A number that is older than it seems says so.
    let isOld = !isPast && at - trend.at > .seconds(3_600)
    let age = isOld ? "as of \(Moment.tableText(trend.at, clock, withTime: true))" : nil
    return InsightReport.Card(
      label, ValueKind.count.text(Double(trend.value)), change: change, sense: sense,
      detail: age ?? before)
  }

  /// The time of a change: that of the range in days, if counts show it, or since a day.
  private func span(_ since: Instant, _ until: Instant) -> String {
    let length = time.upperBound - time.lowerBound
    let days = Int((length / .days(1)).rounded())
    let isClose = since.distance(to: time.lowerBound) <= max(.days(1), length / 10)
    return isClose && (1...45).contains(days)
      ? "in \(days == 1 ? "a day" : "\(days) days")" : "since \(Moment.dayText(since, clock))"
  }

  private func card(_ goal: GoalProgress) -> InsightReport.Card {
    let detail =
      goal.expected.map { "expected around \(Moment.dayText($0, clock))" } ?? "no expected date yet"
    return InsightReport.Card(
      "Goal: \(ValueKind.count.text(Double(goal.goal)))",
      goal.isReached ? "reached" : "\(ValueKind.count.text(Double(goal.goal - goal.value))) to go",
      sense: goal.isReached ? .better : .neutral, detail: goal.isReached ? nil : detail)
  }

  // MARK: Followers

  private func growthSection(_ growth: GrowthCurve) -> InsightReport.Section {
    let most = (growth.survivors + growth.counts).map(\.value).max() ?? 0
    return InsightReport.Section(
      id: "growth", heading: "Growth",
      paragraphs: growth.seam == nil
        ? ["There is no snapshot of the followers yet."]
        : most == 0
          ? ["Nobody follows this account yet."]
          : growth.survivors.isEmpty
            ? []
            : [
              "Before the first snapshot, only followers that stayed until then are known: "
                + "the true counts were higher. From then on, the numbers are counts."
            ], chart: most > 0 ? growthChart(growth) : nil)
  }

  private func peopleSection(_ changes: AudienceChanges) -> InsightReport.Section {
    func row(_ change: AudienceChanges.Change) -> [String] {
      let time =
        change.time.after.flatMap { after in
          Moment.dayText(after, clock) == Moment.dayText(change.time.by, clock)
            ? nil : "after \(Moment.dayText(after, clock)), by \(Moment.dayText(change.time.by, clock))"
        } ?? Moment.dayText(change.time.by, clock)
      return [
        change.account.name, change.reason ?? "came", time,
        change.followers.map { ValueKind.count.text(Double($0)) } ?? "", change.account.displayName ?? "",
      ]
    }
    func count(_ count: Int, _ shown: Int, _ what: String) -> String {
      let text = ValueKind.count.text(Double(count))
      return count == 0
        ? "Nobody \(what)." : "\(text) \(what)\(count > shown ? "; the latest \(shown) are shown" : "")."
    }
    let shown = changes.came + changes.left
    return InsightReport.Section(
      id: "people", heading: "Who came and who left",
      paragraphs: [
        count(changes.cameCount, changes.came.count, "came") + " "
          + count(changes.leftCount, changes.left.count, "left")
      ],
      table: shown.isEmpty
        ? nil
        : ChartTable(
          headings: ["Account", "What", "When", "Followers", "Name"], rows: shown.map(row),
          links: shown.map(\.account.page)))
  }

  private var flowSection: InsightReport.Section {
    let rows = flows.filter { $0.arrivals != nil || $0.losses != nil }
    // A chart needs more than one bar.
    let isChart = rows.count > 1 && rows.contains { $0.arrivals ?? 0 > 0 || $0.losses?.count ?? 0 > 0 }
    let figures = rows.map { flow in
      "\(flow.parts.first.map { "\($0.period)" } ?? ""): \(flow.arrivals.map(String.init) ?? "unknown") came, "
        + "\(flow.losses.map { "\($0.count)" } ?? "unknown") left."
    }
    return InsightReport.Section(
      id: "flow", heading: "New and lost followers",
      paragraphs: [churnSentence].compactMap(\.self)
        + (isChart ? [] : rows.count == 1 ? figures : ["Nobody came, and nobody left."]),
      chart: isChart ? flowChart : nil, notes: flowNotes)
  }

  /// The averages of the periods that snapshots cover; nil if there is none.
  private var churnSentence: String? {
    let known = flows.filter { $0.coverage.isComplete && $0.churnRate != nil }
    let periods = Double(known.reduce(0) { $0 + $1.parts.count })
    guard let unit = known.first?.parts.first?.period.unit.rawValue, periods > 0 else { return nil }
    let rate = known.reduce(0) { $0 + ($1.churnRate ?? 0) } / periods
    let arrivals = known.reduce(0) { $0 + Double($1.arrivals ?? 0) } / periods
    return "On average \(ValueKind.share.text(rate)) of the followers leave per \(unit); new followers: "
      + "\(ValueKind.count.text(arrivals))."
  }

  private var flowNotes: [String] {
    var notes: [String] = []
    let intervals = flows.filter { $0.coverage == .interval }
    if let unit = intervals.first?.parts.first?.period.unit.rawValue {
      notes.append(
        "Snapshots are sometimes more than a \(unit) apart. Who left in between is known only as a sum, which is spread "
          + "over the \(unit)s; who came and left in between is not known.")
    }
    if flows.contains(where: { !$0.isObserved && $0.coverage != .survivors }) {
      notes.append(
        "Who left is not known for times that no two snapshots enclose, or whose losses are withheld.")
    }
    if flows.contains(where: { $0.parts.contains { $0.unnamed > 0 } }) {
      notes.append("Of some accounts that came, only the number is left in the history.")
    }
    return notes
  }

  private var cohortSection: InsightReport.Section {
    let isKnown = !cohortChart.isEmpty
    return InsightReport.Section(
      id: "cohorts", heading: "Retention",
      paragraphs: [
        isKnown
          ? "The share of each month's new followers that remain."
          : "Not known yet: this needs snapshots over a whole month in which ten or more came."
      ], chart: isKnown ? cohortChart : nil)
  }

  private func followBackSection(_ times: FollowBackTimes) -> InsightReport.Section {
    let all = times.count + times.waiting + times.followedFirst + times.undated
    var paragraphs = [
      "Of \(ValueKind.count.text(Double(all))) followed accounts, "
        + "\(ValueKind.count.text(Double(all - times.waiting))) follow back; "
        + "\(ValueKind.count.text(Double(times.followedFirst))) of these followed first."
    ]
    if let quartiles = times.quartiles {
      paragraphs.append(
        "Of the accounts that were followed first and follow back, half did so within "
          + "\(ValueKind.duration.text(quartiles.median)), a quarter within "
          + "\(ValueKind.duration.text(quartiles.lower)), three quarters within "
          + "\(ValueKind.duration.text(quartiles.upper)).")
    }
    let rows = [
      ("Followed back", times.count), ("Followed first", times.followedFirst),
      ("Follow back, order unknown", times.undated), ("Do not follow back", times.waiting),
    ].map { [$0.0, ValueKind.count.text(Double($0.1))] }
    return InsightReport.Section(
      id: "follow-back", heading: "Time to follow back", paragraphs: paragraphs,
      table: ChartTable(headings: ["Followed accounts", "Count"], rows: rows),
      notes: ["Dates come from the records, whose authors choose them."])
  }

  private func forecastSection(_ forecast: Result<Forecast, Forecast.Refusal>) -> InsightReport.Section {
    switch forecast {
    case .failure(let refusal):
      return InsightReport.Section(
        id: "forecast", heading: "Forecast of followers", paragraphs: [Self.text(refusal)])
    case .success(let forecast):
      let backtest = forecast.backtest
      let error = backtest.meanCount > 0 ? backtest.meanError / backtest.meanCount : 0
      return InsightReport.Section(
        id: "forecast", heading: "Forecast of followers",
        paragraphs: [
          forecastSentence(forecast)
            + "Backtested forecasts, \(backtest.daysAhead) days ahead, were off by "
            + "\(ValueKind.share.text(error)) on average."
        ], chart: forecastChart(forecast))
    }
  }

  /// The last point in words.
  private func forecastSentence(_ forecast: Forecast) -> String {
    guard let last = forecast.points.last else { return "" }
    func text(_ value: Double) -> String { ValueKind.count.text(value.rounded()) }
    return
      "About \(text(last.expected)) followers on \(Moment.dayText(last.at, .utc)), if the recent growth goes on "
      + "and slowly fades out; 95 % interval \(text(last.possible.lowerBound)) to "
      + "\(text(last.possible.upperBound)). "
  }

  private static func text(_ refusal: Forecast.Refusal) -> String {
    switch refusal {
    case .tooShort(let days, let weeks):
      "No forecast: it needs counts of \(Forecast.fewestDays) consecutive days or \(Forecast.fewestWeeks) weeks, but "
        + "there are only \(days) and \(weeks)."
    case .tooInaccurate(let backtest):
      "No forecast: backtested forecasts, \(backtest.daysAhead) days ahead, were off by "
        + "\(ValueKind.count.text(backtest.meanError.rounded())) on average; "
        + "assuming no change, by \(ValueKind.count.text(backtest.meanErrorOfNoChange.rounded()))."
    }
  }

  private func goalSection(_ goal: GoalProgress) -> InsightReport.Section {
    var paragraph =
      "\(ValueKind.count.text(Double(goal.value))) of \(ValueKind.count.text(Double(goal.goal))) followers; "
      + "\(ValueKind.share.text(goal.share)) of the way since the goal was set."
    if let expected = goal.expected {
      paragraph += " Expected around \(Moment.dayText(expected, clock))"
      paragraph += goal.earliest.map { " (80 % interval: from \(Moment.dayText($0, clock))" } ?? ""
      paragraph += goal.latest.map { " to \(Moment.dayText($0, clock)))." } ?? " on)."
    } else if !goal.isReached {
      paragraph += " There is no expected date, because no forecast reaches it."
    }
    return InsightReport.Section(id: "goal", heading: "Goal", paragraphs: [paragraph])
  }

  // MARK: Posts

  private var postSection: InsightReport.Section {
    let rows = bestPosts.map { post in
      [post.text.isEmpty ? "(no text)" : post.text, Moment.tableText(post.at, clock, withTime: true)]
        + [post.likes, post.reposts, post.replies, post.quotes].map { ValueKind.count.text(Double($0)) }
    }
    return InsightReport.Section(
      id: "posts", heading: "Best posts",
      paragraphs: ["The posts with the most likes, reposts, replies and quotes."],
      table: ChartTable(
        headings: ["Post", "Written", "Likes", "Reposts", "Replies", "Quotes"], rows: rows,
        links: bestPosts.map(\.page)))
  }

  private func engagementSection(_ engagement: Engagement) -> InsightReport.Section {
    let rate = engagement.rate.map { rate in
      "The median of \(ValueKind.count.text(Double(engagement.posts))) posts is \(Self.perThousand(rate.value)) "
        + "likes, reposts, replies and quotes per 1,000 followers at that time; 95 % interval "
        + "\(Self.perThousand(rate.interval.lowerBound)) to \(Self.perThousand(rate.interval.upperBound))."
    }
    return InsightReport.Section(
      id: "engagement", heading: "Engagement",
      paragraphs: [
        rate ?? "Too few posts: \(engagement.posts) of at least \(EngagementGroup<Int>.fewestPosts)."
      ],
      chart: engagement.byKind.contains { $0.rate != nil } ? kindChart(engagement) : nil)
  }

  private static func perThousand(_ rate: Double) -> String { ValueKind.rate.text(rate * 1_000) }

  private func timeSections(_ engagement: Engagement) -> [InsightReport.Section] {
    guard engagement.byHour.contains(where: { $0.rate != nil }) else {
      return [
        InsightReport.Section(
          id: "hours", heading: "Best hours to post",
          paragraphs: [
            "Too few posts: an hour needs \(EngagementGroup<Int>.fewestPosts) of them. A longer period has more."
          ])
      ]
    }
    let best = engagement.byHour.filter { $0.comparison == .better }.map { Self.hour($0.key) }
    let words =
      best.isEmpty
      ? "No hour stands out: the 95 % intervals overlap that of all posts."
      : "Posts at \(best.joined(separator: ", ")) did better than all posts; the 95 % intervals do not overlap."
    return [
      InsightReport.Section(
        id: "hours", heading: "Best hours to post", paragraphs: [words], chart: hourChart(engagement))
    ]
      + (engagement.byWeekday.contains { $0.rate != nil }
        ? [
          InsightReport.Section(
            id: "weekdays", heading: "Best weekdays to post", chart: weekdayChart(engagement))
        ] : [])
      // With fewer posts all hours of the week are empty.
      + (engagement.byHourOfWeek.contains { $0.rate != nil }
        ? [InsightReport.Section(id: "week", heading: "Hours of the week", chart: weekChart(engagement))]
        : [])
  }

  private func audienceTimeSections(_ times: PostingTimes) -> [InsightReport.Section] {
    let count = ValueKind.count.text(Double(times.accounts))
    guard times.byHour.contains(where: { $0.share != nil }) else {
      return [
        InsightReport.Section(
          id: "audience-hours", heading: "When followers post",
          paragraphs: [
            "Too few followers: \(count) of at least \(PostingTimes.fewestAccounts) have posted in "
              + "\(PostingTimes.days) days."
          ])
      ]
    }
    let best = times.byHour.filter { $0.comparison == .better }.map { Self.hour($0.number) }
    let words =
      best.isEmpty
      ? "No hour stands out: the 95 % intervals contain the average of all hours."
      : "More of them post at \(best.joined(separator: ", ")) than in other hours; the 95 % intervals are above the "
        + "average of all hours."
    let leftOut =
      times.leftOut > 0
      ? [
        "\(ValueKind.count.text(Double(times.leftOut))) that post 20 times a day or more are left out: their latest "
          + "posts tell only about today."
      ] : []
    return [
      InsightReport.Section(
        id: "audience-hours", heading: "When followers post",
        paragraphs: ["Of \(count) followers that have posted in \(PostingTimes.days) days. " + words],
        chart: audienceHourChart(times), notes: leftOut)
    ]
      + (times.byWeekday.contains { $0.share != nil }
        ? [
          InsightReport.Section(
            id: "audience-weekdays", heading: "Weekdays on which followers post",
            chart: audienceWeekdayChart(times))
        ] : [])
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
          table: ChartTable(
            headings: ["Account", "Name", figure] + headings, rows: rows,
            links: found.entries.map { top.account($0.account).page }))
      ]
    }
    let count = { (entry: TopAccounts.Entry) in ValueKind.count.text(entry.value) }
    return section(
      "top-followers", "Most followed followers",
      "\(examined(top.byFollowers?.candidates ?? 0, of: top.population, "larger ones")).",
      top.byFollowers, "Followers", { [count($0)] }, headings: [])
      + notableSections
      + section(
        "top-interactions", "Most engaged accounts",
        "Based on the latest posts: the sum of likes, reposts and quotes.",
        top.byInteractions, "Interactions",
        { entry in
          let one = top.interactions[entry.account] ?? Interactions()
          return [count(entry)]
            + [one.likes, one.reposts, one.quotes].map { ValueKind.count.text(Double($0)) }
        }, headings: ["Likes", "Reposts", "Quotes"])
      + section(
        "top-influence", "Most influential in the audience",
        "The share of a sample of followers that follows each of the most followed and most engaged accounts.",
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
        }, headings: ["95 % interval"])
  }

  private var notableSections: [InsightReport.Section] {
    guard !top.notable.isEmpty else { return [] }
    return [
      InsightReport.Section(
        id: "notable", heading: "Notable followers",
        paragraphs: [
          "\(examined(top.byFollowers?.candidates ?? 0, of: top.population, "others")): verified accounts, and those with "
            + "more followers."
        ],
        table: ChartTable(
          headings: ["Account", "Name", "Followers", "Why"],
          rows: top.notable.map { follower in
            [
              follower.account.name, follower.account.displayName ?? "",
              follower.followers.map { ValueKind.count.text(Double($0)) } ?? "",
              follower.reasons.map(\.rawValue).joined(separator: ", "),
            ]
          }, links: top.notable.map(\.account.page)))
    ]
  }

  /// How many followers were examined, and what a sample of them may miss.
  private func examined(_ count: Int, of population: Int, _ missed: String) -> String {
    let count = ValueKind.count.text(Double(count))
    let all = ValueKind.count.text(Double(population))
    return count == all || population == 0
      ? "Among all \(count) followers" : "Among \(count) of \(all) followers, which may miss \(missed)"
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
      paragraphs: [share ?? "The last change is not known for any follower."],
      chart: activityChart(activity))
  }

  private func audienceSections(_ audience: AudienceParts) -> [InsightReport.Section] {
    func section(_ id: String, _ heading: String, _ chart: Chart) -> [InsightReport.Section] {
      if chart.isEmpty { return [] }
      if let sentence = chart.sentence {
        return [InsightReport.Section(id: id, heading: heading, paragraphs: [sentence], notes: chart.notes)]
      }
      return [InsightReport.Section(id: id, heading: heading, chart: chart)]
    }
    let labels = audience.labels.map { part in
      let labeler = bots?.labelers[part.label.labeler] ?? InsightAccount(part.label.labeler)
      return [part.label.value, labeler.name, ValueKind.count.text(Double(part.count))]
    }
    return section("ages", "Age of followers' accounts", ageChart(audience))
      + section(
        "languages", "Followers by the language of their posts",
        compositionChart("Followers by the language of their posts", audience.languages) { $0 })
      + section(
        "domains", "Followers by the domain of their handle",
        compositionChart("Followers by the domain of their handle", audience.domains, \.description))
      + section(
        "verification", "Followers by verification",
        compositionChart("Followers by verification", audience.verification) { $0 })
      + (audience.words.entries.isEmpty
        ? []
        : [
          InsightReport.Section(
            id: "words", heading: "Words in followers' bios",
            paragraphs: [
              "Of \(ValueKind.count.text(Double(audience.words.accounts))) followers that say something about themselves. "
                + "Words of fewer than \(BioWords.fewestAccounts) are left out."
            ],
            chart: wordChart(audience.words))
        ])
      + (labels.isEmpty
        ? []
        : [
          InsightReport.Section(
            id: "labels", heading: "Labels",
            paragraphs: [
              "Labels on \(ValueKind.count.text(Double(audience.sampleSize))) followers, as claimed by their labelers."
            ], table: ChartTable(headings: ["Label", "Labeler", "Followers"], rows: labels))
        ])
  }

  /// A longer list is for a program, which reads the figures.
  private static let mostRows = 50

  private func botSection(_ bots: BotFindings) -> InsightReport.Section {
    let share = bots.share.map { share in
      "\(examined(share.sampleSize, of: bots.population, "others")), \(bots.likely.count) are likely bots: "
        + "\(ValueKind.share.text(share.value)) (\(ValueKind.share.text(share.interval.lowerBound)) to "
        + "\(ValueKind.share.text(share.interval.upperBound)))."
    }
    let rows = bots.likely.prefix(Self.mostRows).map { finding in
      [
        finding.account.name, finding.account.displayName ?? "",
        finding.signs.map { $0.text(naming: bots.labelers) }.joined(separator: "; "),
      ]
    }
    return InsightReport.Section(
      id: "bots", heading: "Likely bots", paragraphs: [share ?? "No followers were examined."],
      table: rows.isEmpty
        ? nil
        : ChartTable(
          headings: ["Account", "Name", "Why"], rows: rows,
          links: bots.likely.prefix(rows.count).map(\.account.page)),
      notes: (bots.likely.count > rows.count
        ? ["The first \(rows.count) of them are shown."] : []) + [
          "A likely bot has two signs, or a label from a labeler. No sign is proof: check before you act."
        ])
  }

  private var segmentSection: InsightReport.Section {
    InsightReport.Section(id: "segments", heading: "Followers in segments", chart: segmentChart)
  }

  private func blockSection(_ blocks: BlockTimeline) -> InsightReport.Section {
    var paragraphs = blocks.waves.map { wave in
      func net(_ value: Double?) -> String { value.map(ValueKind.count.signedText) ?? "unknown" }
      return
        "\(Moment.dayText(wave.time.lowerBound, clock)) to \(Moment.dayText(wave.time.upperBound - .microseconds(1), clock)): "
        + "\(ValueKind.count.text(Double(wave.blocks))) blocks, usually "
        + "\(ValueKind.count.text(wave.usual)) a day. Net growth per day: \(net(wave.netBefore)) before, "
        + "\(net(wave.netMeanwhile)) during, \(net(wave.netAfter)) after."
    }
    if paragraphs.isEmpty {
      paragraphs = [
        blocks.unplaced > 0 || blocks.undated > 0
          ? "No block waves were found among the blocks whose day is known." : "No block waves were found."
      ]
    }
    return InsightReport.Section(
      id: "blocks", heading: "Blocks", paragraphs: paragraphs, chart: blockChart(blocks),
      notes: blocks.knowsOnlyLosses
        ? [
          "Blocks of the account are known only for lost followers; a backlink index would know more."
        ]
        : ["The numbers from an index are lower bounds."])
  }
}
