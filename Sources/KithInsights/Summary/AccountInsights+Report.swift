// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension AccountInsights {
  /// All insights as a report.
  public var report: InsightReport { report(of: Set(InsightMetric.allCases)) }

  /// Some metrics as a report: cards, and sections for the other metrics.
  public func report(of metrics: Set<InsightMetric>) -> InsightReport {
    let subtitle = subtitle(metrics)
    let sections = InsightMetric.allCases.filter(metrics.contains).flatMap(sections)
    let main = Self.mainSections.compactMap { id in sections.first { $0.id == id } }
    let rest = sections.filter { !Self.mainSections.contains($0.id) }.map { section in
      var section = section
      section.isFolded = !main.isEmpty
      return section
    }
    return InsightReport(
      title: actor.displayName.map { "\($0) (\(actor.name))" } ?? actor.name,
      subtitle: Self.sentence([subtitle, listingText]), pictureSubtitle: subtitle, headline: headline,
      generatedAt: at, clock: clock,
      cards: metrics.contains(.cards) || metrics.contains(.goal) ? cards : [], sections: main + rest,
      notes: gaps.map(\.sentence))
  }

  /// The time of the numbers, if a metric depends on it.
  private func subtitle(_ metrics: Set<InsightMetric>) -> String? {
    let days = (
      Moment.dayText(time.lowerBound, clock), Moment.dayText(time.upperBound - .microseconds(1), clock)
    )
    let subjects = [
      metrics.isDisjoint(with: [.cards, .flow, .blocks]) ? nil : "changes and flows",
      metrics.isDisjoint(with: [.engagement, .times]) ? nil : "posts",
    ].compactMap(\.self)
    let range = subjects.first.map { "\($0): \(days.0) – \(days.1)" }
    return isPast
      ? "Numbers of \(days.1)" + (range.map { ". \(Self.sentence([$0]) ?? "")" } ?? "")
      : Self.sentence([range])
  }

  /// Clauses with semicolons, the first one with a capital letter; nil if there are none.
  private static func sentence(_ clauses: [String?]) -> String? {
    let text = clauses.compactMap(\.self).joined(separator: "; ")
    return text.isEmpty ? nil : text.prefix(1).uppercased() + text.dropFirst()
  }

  /// What the owner of an account wants to know first, in this order; the others are folded.
  private static let mainSections = ["growth", "people", "posts"]

  /// The sections of one metric; empty if nothing is known.
  public func sections(_ metric: InsightMetric) -> [InsightReport.Section] {
    switch metric {
    case .cards: []
    case .growth: growth.map { [growthSection($0)] } ?? []
    case .flow: peopleSections + (flows.isEmpty ? [] : [flowSection])
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

  // MARK: Followers

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
      paragraphs: [listing.map { "Up to the snapshot of \(momentText($0.endedAt))." }, churnSentence]
        .compactMap(\.self)
        + (isChart ? [] : rows.count == 1 ? figures : [stillSentence]),
      chart: isChart ? flowChart : nil, notes: flowNotes)
  }

  /// The averages of the periods that snapshots cover; nil if there is none.
  private var churnSentence: String? {
    let known = flows.filter { $0.coverage.isComplete && $0.churnRate != nil }
    guard let unit = known.first?.parts.first?.period.unit.rawValue,
      let rate = AudienceFlow.average(of: known, \.churnRate),
      let arrivals = AudienceFlow.average(of: known, { $0.arrivals.map(Double.init) })
    else { return nil }
    return "On average \(ValueKind.share.text(rate)) of the followers leave per \(unit); new followers: "
      + "\(ValueKind.count.text(arrivals))."
  }

  /// What is said if no flow has an arrival or a loss.
  private var stillSentence: String {
    flows.contains(where: \.isObserved)
      ? "No account came and none left while snapshots were taken."
      : "Who came and who left is not known: no two snapshots enclose a part of this time."
  }

  private var flowNotes: [String] {
    var notes: [String] = []
    let intervals = flows.filter { $0.coverage == .interval && $0.parts.count > 1 }
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
    return notes + [blockerNote].compactMap(\.self)
  }

  /// How many of those who left block the account; nil if none does.
  private var blockerNote: String? {
    let (lost, blockers) = flows.reduce((0, 0)) { sums, flow in
      (sums.0 + (flow.losses?.count ?? 0), sums.1 + (flow.losses?.blockers ?? 0))
    }
    guard blockers > 0 else { return nil }
    return
      "Of \(ValueKind.count.text(Double(lost))) lost followers, \(ValueKind.count.text(Double(blockers))) "
      + "\(blockers == 1 ? "blocks" : "block") this account."
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
    let listed = times.count + times.followedFirst + times.undated
    let all = listed + times.waiting
    var paragraphs = [
      // Some of those that no listing shows follow back, too.
      "Of \(Self.text(all)) followed accounts, \(Self.text(listed)) "
        + "\(listed == 1 ? "is listed as a follower" : "are listed as followers"); "
        + "\(Self.text(times.followedFirst)) of these followed first."
    ]
    if let quartiles = times.quartiles {
      paragraphs.append(
        "Of the accounts that were followed first and follow back, half did so within "
          + "\(SpanLabel.words(quartiles.median)), a quarter within \(SpanLabel.words(quartiles.lower)), "
          + "three quarters within \(SpanLabel.words(quartiles.upper)).")
    }
    let rows = [
      ("Followed back", times.count), ("They followed first", times.followedFirst),
      ("Follow back, order unknown", times.undated), ("Not listed as followers", times.waiting),
    ].map { [$0.0, ValueKind.count.text(Double($0.1))] }
    return InsightReport.Section(
      id: "follow-back", heading: "Time to follow back", paragraphs: paragraphs,
      table: ChartTable(headings: ["Followed accounts", "Count"], rows: rows),
      notes: ["Dates come from the records, whose authors choose them."])
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
      chart: engagement.byKind.contains { $0.rate != nil } ? kindChart(engagement) : nil,
      notes: (postsWithOldCount > 0
        ? [
          "For \(Self.text(postsWithOldCount)) of these posts, the last count of followers is more than "
            + "\(Int(GrowthCurve.oldAge / .days(1))) days older than the post."
        ] : [])
        + (postsBeforeCounts > 0
          ? [
            "\(Self.text(postsBeforeCounts)) of these posts \(postsBeforeCounts == 1 ? "is" : "are") older than the "
              + "first count of followers. Of that time only followers that stayed are known, so these rates are "
              + "too high."
          ] : []))
  }

  private static func perThousand(_ rate: Double) -> String { ValueKind.rate.text(rate * 1_000) }

  private func timeSections(_ engagement: Engagement) -> [InsightReport.Section] {
    let hours = engagement.byHour.count { $0.rate != nil }
    let best = engagement.byHour.filter { $0.comparison == .better }.map { Self.hour($0.key) }
    let words =
      best.isEmpty
      ? "No hour stands out from all posts, at 95 % for all hours and weekdays together."
      : "Posts at \(best.joined(separator: ", ")) did better than all posts, at 95 % for all hours and weekdays together."
    let tooFew =
      "Too few posts: \(hours) of 24 hours have the \(EngagementGroup<Int>.fewestPosts) that an hour needs. "
      + "A longer period has more."
    // One hour cannot be compared.
    let isChart = hours > 1
    return [
      InsightReport.Section(
        id: "hours", heading: "Best hours to post", paragraphs: [isChart ? words : tooFew],
        chart: isChart ? hourChart(engagement) : nil)
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
    let best = times.byHour.filter { $0.comparison == .more }.map { Self.hour($0.number) }
    let words =
      best.isEmpty
      ? "No hour stands out from the average of all hours, at 95 % for all hours and weekdays together."
      : "More of them post at \(best.joined(separator: ", ")) than on average, at 95 % for all hours and weekdays together."
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

  /// The most followed mutuals, for a page on which each leads to its profile; nil if none is known.
  package var mutualSection: InsightReport.Section? {
    guard let mutuals = top.mutuals, !mutuals.entries.isEmpty else { return nil }
    return InsightReport.Section(
      id: "top-mutuals", heading: "Most followed mutuals",
      paragraphs: [
        "Among the \(ValueKind.count.text(Double(mutuals.candidates))) of the examined followers that this account follows."
      ],
      table: ChartTable(
        headings: ["Account", "Name", "Followers"],
        rows: mutuals.entries.map { entry in
          let account = top.account(entry.account)
          return [account.name, account.displayName ?? "", ValueKind.count.text(entry.value)]
        }, links: mutuals.entries.map { top.account($0.account).page }))
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
      ? "Among all \(count) listed followers"
      : "Among \(count) of \(all) listed followers, which may miss \(missed)"
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
      paragraphs: [share ?? "The last activity is not known for any follower."],
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
      let labeler = audience.labelers[part.label.labeler] ?? InsightAccount(part.label.labeler)
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
    var section = InsightReport.Section(id: "segments", heading: "Followers in segments")
    // A line needs two counts.
    if segments.contains(where: { $0.counts.count > 1 }) {
      section.chart = segmentChart
    } else {
      section.table = ChartTable(
        headings: ["Segment", "Followers", "Counted", "Predicate"],
        rows: segments.map { segment in
          let last = segment.counts.last
          return [
            segment.name, last.map { Self.text($0.value) } ?? "", last.map { momentText($0.at) } ?? "",
            segment.predicate,
          ]
        })
    }
    return section
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
    let chart = blockChart(blocks)
    // A chart needs more than one bar.
    let isChart = blocks.rows.reduce(0) { $0 + $1.parts.count } > 1
    if let row = blocks.rows.first, let part = row.parts.first, !isChart {
      func text(_ count: Int?) -> String { count.map(Self.text) ?? "unknown" }
      paragraphs.append(
        "\(part.period): blocks made: \(text(part.blocking)); blocked by: \(text(row.blockedBy)).")
    }
    let source =
      blocks.knowsOnlyLosses
      ? "Blocks of the account are known only for lost followers; a backlink index would know more."
      : "The numbers from an index are lower bounds."
    return InsightReport.Section(
      id: "blocks", heading: "Blocks", paragraphs: paragraphs, chart: isChart ? chart : nil,
      notes: (isChart ? [] : chart.notes) + [source])
  }
}
