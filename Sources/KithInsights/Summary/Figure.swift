// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A single number of the insights with its context: a row of a table in long form.
public struct Figure: Sendable, Hashable {
  /// The unit of a value.
  public enum Unit: String, Sendable, Hashable, CaseIterable {
    case count
    /// A share, 0 to 1, of the whole that the key names.
    case share
    /// A ratio, such as followers per follow.
    case ratio
    case seconds
    /// Microseconds since 1970.
    case moment
  }

  /// The formatted value: `1,234`, `45.3%`, `3 d 4 h`; nil if there is none.
  public var valueText: String? { value.map(text) }

  /// The formatted bounds of the value; nil if it is not an estimate.
  public var intervalText: String? { low.flatMap { low in high.map { "\(text(low)) to \(text($0))" } } }

  private func text(_ value: Double) -> String {
    switch unit {
    case .count: ValueKind.count.text(value)
    case .share: ValueKind.share.text(value)
    case .ratio: ValueKind.rate.text(value)
    case .seconds: ValueKind.duration.text(value)
    case .moment:
      Int64(exactly: value).map { Moment.dayText(Instant(microsecondsSinceEpoch: $0), .utc) }
        ?? ValueKind.missing
    }
  }

  public let metric: InsightMetric
  /// The number within the metric, such as `followers`, `gained` or `18`.
  public let key: String
  /// The time range; nil if there is none, or for the present.
  public var from: Instant?
  public var to: Instant?
  /// The interval between two snapshots in which the change was, if it is not the time range; nil otherwise.
  public var after: Instant?
  public var before: Instant?
  /// Nil if there is too little data.
  public var value: Double?
  /// The bounds with a confidence of 95 %; nil if the value is not an estimate.
  public var low: Double?
  public var high: Double?
  /// The size of the sample behind the value.
  public var sampleSize: Int?
  public let unit: Unit
  /// The account, if the figure is about one.
  public var account: InsightAccount?
  /// A qualifier, such as `survivors`, `partial` or `better`.
  public var note: String?

  init(
    _ metric: InsightMetric, _ key: String, _ value: Double?, _ unit: Unit = .count, from: Instant? = nil,
    to: Instant? = nil, sampleSize: Int? = nil, account: InsightAccount? = nil, note: String? = nil
  ) {
    self.metric = metric
    self.key = key
    self.value = value
    self.unit = unit
    self.from = from
    self.to = to
    self.sampleSize = sampleSize
    self.account = account
    self.note = note
  }

  init(
    _ metric: InsightMetric, _ key: String, _ estimate: Estimate?, _ unit: Unit, sampleSize: Int? = nil,
    account: InsightAccount? = nil, note: String? = nil
  ) {
    self.init(
      metric, key, estimate?.value, unit, sampleSize: sampleSize ?? estimate?.sampleSize, account: account,
      note: note)
    low = estimate?.interval.lowerBound
    high = estimate?.interval.upperBound
  }

  fileprivate func during(_ period: CalendarPeriod) -> Figure { during(period.start..<period.end) }

  fileprivate func during(_ time: Range<Instant>) -> Figure {
    var figure = self
    (figure.from, figure.to) = (time.lowerBound, time.upperBound)
    return figure
  }

  fileprivate func within(_ low: Double, _ high: Double) -> Figure {
    var figure = self
    (figure.low, figure.high) = (low, high)
    return figure
  }
}

extension AccountInsights {
  /// All numbers, metric by metric, in a stable order.
  public var figures: [Figure] { InsightMetric.allCases.flatMap(figures) }

  /// The numbers of one metric.
  public func figures(_ metric: InsightMetric) -> [Figure] {
    switch metric {
    case .cards: overview.map(cardFigures) ?? []
    case .growth: growth.map(growthFigures) ?? []
    case .flow: flows.flatMap(flowFigures)
    case .cohorts: cohorts.flatMap(cohortFigures)
    case .followBack: followBack.map(followBackFigures) ?? []
    case .forecast: forecast.map(forecastFigures) ?? []
    case .goal: goal.map(goalFigures) ?? []
    case .engagement: engagement.map(engagementFigures) ?? []
    case .times: engagement.map(timeFigures) ?? []
    case .audienceTimes: audienceTimes.map(audienceTimeFigures) ?? []
    case .top: topFigures
    case .activity: activity.map { Self.figures(.activity, "", $0, \.rawValue) } ?? []
    case .audience: audience.map(audienceFigures) ?? []
    case .bots: bots.map(botFigures) ?? []
    case .segments: segments.flatMap(segmentFigures)
    case .blocks: blocks.map(blockFigures) ?? []
    }
  }

  private func cardFigures(_ overview: Overview) -> [Figure] {
    func trend(_ key: String, _ trend: Trend?) -> [Figure] {
      guard let trend else { return [] }
      var figures = [Figure(.cards, key, Double(trend.value), to: moment(of: trend))]
      if let change = trend.change {
        figures.append(
          Figure(.cards, "\(key)-change", Double(change), from: trend.since, to: trend.at))
      }
      if let before = trend.changeBefore {
        figures.append(
          Figure(.cards, "\(key)-change-before", Double(before), from: trend.sinceBefore, to: trend.since))
      }
      return figures
    }
    var figures = trend("followers", overview.followers) + trend("follows", overview.follows)
    figures += trend("posts", overview.posts)
    if let ratio = overview.ratio {
      let moments = [overview.followers, overview.follows].compactMap { $0.flatMap(moment) }
      figures.append(Figure(.cards, "ratio", ratio, .ratio, to: moments.min()))
    }
    let bound = (overview.unlistedFollowers ?? 0) > 0 ? "at-least" : nil
    let listedAt = overview.mutualsAt.flatMap { at - $0 > .days(1) ? $0 : nil }
    if let mutuals = overview.mutuals {
      figures.append(Figure(.cards, "mutuals", Double(mutuals), to: listedAt, note: bound))
    }
    if let rate = overview.mutualRate {
      figures.append(Figure(.cards, "mutual-rate", rate, .share, to: listedAt, note: bound))
    }
    return figures + trend("blocks", overview.blocks)
  }

  /// The time that the value of a trend describes: the end of the range, or when it was counted if that was more
  /// than a day earlier; nil for the present.
  private func moment(of trend: Trend) -> Instant? {
    let end = isPast ? time.upperBound : at
    if end - trend.at > .days(1) { return trend.at }
    return isPast ? end : nil
  }

  private func growthFigures(_ growth: GrowthCurve) -> [Figure] {
    let survivors = growth.survivors.enumerated().map { index, point in
      let figure = Figure(
        .growth, "followers", Double(point.value), to: point.at, sampleSize: growth.sampleSize,
        note: "survivors")
      guard growth.survivorBounds.indices.contains(index) else { return figure }
      return figure.within(growth.survivorBounds[index].lowerBound, growth.survivorBounds[index].upperBound)
    }
    let counts = growth.counts.map {
      Figure(.growth, "followers", Double($0.value), to: $0.at, note: growth.measure.rawValue)
    }
    let undated = Figure(.growth, "undated", Double(growth.undated))
    return survivors + counts + (growth.undated > 0 ? [undated] : [])
  }

  private func flowFigures(_ flow: AudienceFlow) -> [Figure] {
    func figure(_ key: String, _ count: Int?) -> Figure {
      Figure(.flow, key, count.map(Double.init), note: flow.note(isKnown: count != nil))
    }
    let arrivals = flow.parts.flatMap { part in
      [("gained", part.gained), ("returned", part.returned)].map { key, count in
        // Whether an account that was deleted from the history had been there before is not known.
        let figure =
          part.unnamed == 0 ? figure(key, count) : Figure(.flow, key, nil as Double?, note: "pruned")
        return figure.during(part.time)
      }
    }
    var others = [figure("lost", flow.losses?.count), figure("net", flow.net)]
    let rest = [
      ("lost-blocked-by", flow.losses?.blockers ?? 0), ("gained-undated", flow.undated),
      ("hidden", flow.hidden), ("shown-again", flow.shown),
    ]
    others += rest.filter { $0.1 > 0 }.map { figure($0.0, $0.1) }
    if let rate = flow.churnRate {
      others.append(Figure(.flow, "churn-rate", rate, .share, note: flow.note(isKnown: true)))
    }
    return (arrivals + others.map { $0.during(flow.time) }).map { figure in
      var figure = figure
      let between = flow.observed ?? (figure.key.hasPrefix("lost") ? flow.losses?.time : nil)
      (figure.after, figure.before) = (between?.lowerBound, between?.upperBound)
      return figure
    }
  }

  private func cohortFigures(_ cohort: Cohort) -> [Figure] {
    let note = cohort.isPruned ? "pruned" : cohort.isOfSurvivors ? "survivors" : nil
    let size = Figure(.cohorts, "size", cohort.isPruned ? nil : Double(cohort.size), note: note)
    let shares = cohort.shares.enumerated().compactMap { later, share in
      share.map { share in
        let figure = Figure(
          .cohorts, "retained-\(later)", share.value, .share, sampleSize: cohort.size, note: note)
        return share.bounds.map { figure.within($0.lowerBound, $0.upperBound) } ?? figure
      }
    }
    return ([size] + shares).map { $0.during(cohort.period) }
  }

  private func followBackFigures(_ times: FollowBackTimes) -> [Figure] {
    var figures = [
      ("followed-back", times.count), ("not-followed-back", times.waiting),
      ("followed-first", times.followedFirst), ("undated", times.undated),
    ].map { Figure(.followBack, $0, Double($1)) }
    if let quartiles = times.quartiles {
      figures += [
        ("lower-quartile", quartiles.lower), ("median", quartiles.median),
        ("upper-quartile", quartiles.upper),
      ].map { Figure(.followBack, $0, $1, .seconds, sampleSize: times.count) }
    }
    return figures
  }

  private func forecastFigures(_ forecast: Result<Forecast, Forecast.Refusal>) -> [Figure] {
    switch forecast {
    case .success(let forecast):
      let backtest = forecast.backtest
      return forecast.points.flatMap { point in
        [("expected-80", point.likely), ("expected-95", point.possible)].map { key, range in
          Figure(.forecast, key, point.expected, to: point.at).within(range.lowerBound, range.upperBound)
        }
      } + [
        Figure(.forecast, "backtest-error", backtest.meanError, sampleSize: backtest.forecasts),
        Figure(
          .forecast, "backtest-error-of-no-change", backtest.meanErrorOfNoChange,
          sampleSize: backtest.forecasts),
      ]
    case .failure(.tooShort(let days, let weeks)):
      return [("days-counted", days), ("weeks-counted", weeks)].map { key, count in
        Figure(.forecast, key, Double(count), note: "too-short")
      }
    case .failure(.tooInaccurate(let backtest)):
      return [
        Figure(
          .forecast, "backtest-error", backtest.meanError, sampleSize: backtest.forecasts,
          note: "too-inaccurate")
      ]
    }
  }

  private func goalFigures(_ goal: GoalProgress) -> [Figure] {
    [
      Figure(.goal, "goal", Double(goal.goal)), Figure(.goal, "followers", Double(goal.value)),
      Figure(.goal, "progress", goal.share, .share),
    ]
      + [("expected", goal.expected), ("earliest", goal.earliest), ("latest", goal.latest)].compactMap {
        key, moment in moment.map { Figure(.goal, key, Double($0.microsecondsSinceEpoch), .moment, to: $0) }
      }
      // Why there is no time.
      + (goal.expected == nil
        ? [Figure(.goal, "expected", nil as Double?, .moment, note: goal.outlook.name)] : [])
  }

  private func engagementFigures(_ engagement: Engagement) -> [Figure] {
    let all = Figure(.engagement, "all", engagement.rate, .ratio, sampleSize: engagement.posts)
    let old = Figure(.engagement, "old-counts", Double(postsWithOldCount), sampleSize: engagement.posts)
    return [all]
      + engagement.byKind.map { Self.figure(.engagement, $0.key.name, $0) }
      + (postsWithOldCount > 0 ? [old] : [])
  }

  private func timeFigures(_ engagement: Engagement) -> [Figure] {
    engagement.byHour.map { Self.figure(.times, "hour-\($0.key)", $0) }
      + engagement.byWeekday.map { Self.figure(.times, "weekday-\($0.key)", $0) }
      + engagement.byHourOfWeek.map {
        Self.figure(.times, "weekday-\($0.key.weekday)-hour-\($0.key.hour)", $0)
      }
  }

  private static func figure<Key>(
    _ metric: InsightMetric, _ key: String, _ group: EngagementGroup<Key>
  ) -> Figure {
    let note = group.rate == nil ? "too-few" : group.comparison == .unclear ? nil : group.comparison.rawValue
    return Figure(metric, key, group.rate, .ratio, sampleSize: group.posts, note: note)
  }

  private func audienceTimeFigures(_ times: PostingTimes) -> [Figure] {
    func figures(_ prefix: String, _ parts: [PostingTimes.Part]) -> [Figure] {
      parts.map { part in
        let note =
          part.share == nil ? "too-few" : part.comparison == .unclear ? nil : part.comparison.rawValue
        return Figure(.audienceTimes, "\(prefix)\(part.number)", part.share, .share, note: note)
      }
    }
    return figures("hour-", times.byHour) + figures("weekday-", times.byWeekday) + [
      Figure(.audienceTimes, "accounts", Double(times.accounts)),
      Figure(.audienceTimes, "left-out", Double(times.leftOut)),
    ]
  }

  private var topFigures: [Figure] {
    func figures(
      _ key: String, _ top: TopAccounts?, _ unit: Figure.Unit, note: String? = nil
    ) -> [Figure] {
      (top?.entries ?? []).map { entry in
        var figure = Figure(
          .top, key, entry.value, unit, account: self.top.account(entry.account), note: note)
        figure.sampleSize = entry.estimate?.sampleSize
        figure.low = entry.estimate?.interval.lowerBound
        figure.high = entry.estimate?.interval.upperBound
        return figure
      }
    }
    let isSample = top.byFollowers.map { $0.candidates < top.population } ?? false
    let notable = top.notable.map { follower in
      Figure(
        .top, "notable", follower.followers.map(Double.init), account: follower.account,
        note: follower.reasons.map(\.rawValue).joined(separator: ", "))
    }
    return figures("followers", top.byFollowers, .count, note: isSample ? "incomplete" : nil) + notable
      + figures("interactions", top.byInteractions, .count)
      + figures("influence", top.byInfluence, .share)
  }

  private static func figures<Key>(
    _ metric: InsightMetric, _ prefix: String, _ composition: Composition<Key>, _ name: (Key) -> String
  ) -> [Figure] {
    composition.parts.map { Figure(metric, prefix + name($0.key), $0.share, .share) }
      + (composition.unknown > 0
        ? [Figure(metric, "\(prefix)unknown", Double(composition.unknown))] : [])
  }

  private func audienceFigures(_ audience: AudienceParts) -> [Figure] {
    Self.figures(.audience, "age-", audience.ages, \.rawValue)
      + Self.figures(.audience, "language-", audience.languages) { $0 }
      + Self.figures(.audience, "domain-", audience.domains, \.description)
      + Self.figures(.audience, "verification-", audience.verification) { $0 }
      + audience.labels.map { part in
        Figure(
          .audience, "label-\(part.label.value)", Double(part.count), sampleSize: audience.sampleSize,
          account: audience.labelers[part.label.labeler] ?? InsightAccount(part.label.labeler),
          note: "labeler")
      }
      + audience.words.entries.map { Figure(.audience, "word-\($0.word)", $0.share, .share) }
  }

  private func blockerFigure(_ row: BlockTimeline.Row, _ blocks: BlockTimeline) -> Figure {
    let known = row.coverage.note(isKnown: row.blockedBy != nil)
    let note = row.isPruned ? "pruned" : known ?? (blocks.knowsOnlyLosses ? "lost-followers" : nil)
    var figure = Figure(.blocks, "blocked-by", row.blockedBy.map(Double.init), note: note).during(row.time)
    (figure.after, figure.before) = (row.observed?.lowerBound, row.observed?.upperBound)
    return figure
  }

  private func botFigures(_ bots: BotFindings) -> [Figure] {
    [Figure(.bots, "likely", bots.share, .share)]
      + bots.rules.sorted { $0.key < $1.key }.map {
        Figure(.bots, "rule-\($0.key)", Double($0.value), sampleSize: bots.share?.sampleSize)
      }
      + bots.likely.flatMap { finding in
        finding.signs.map { sign in
          Figure(
            .bots, sign.rule, sign.figure, account: finding.account, note: sign.text(naming: bots.labelers))
        }
      }
  }

  private func segmentFigures(_ segment: SegmentTrend) -> [Figure] {
    segment.counts.map {
      Figure(.segments, segment.name, Double($0.value), to: $0.at, note: segment.predicate)
    }
  }

  private func blockFigures(_ blocks: BlockTimeline) -> [Figure] {
    return blocks.rows.flatMap { row in
      row.parts.map { part in
        Figure(
          .blocks, "blocking", part.blocking.map(Double.init),
          note: part.coverage.note(isKnown: part.blocking != nil)
        ).during(part.time)
      } + [blockerFigure(row, blocks)]
    }
      + blocks.waves.flatMap { wave in
        [
          ("wave-blocks", Double(wave.blocks)), ("wave-usual-blocks", wave.usual),
          ("wave-net-before", wave.netBefore), ("wave-net-meanwhile", wave.netMeanwhile),
          ("wave-net-after", wave.netAfter),
        ].map { Figure(.blocks, $0, $1, from: wave.time.lowerBound, to: wave.time.upperBound) }
      }
  }
}

extension AudienceFlow {
  fileprivate func note(isKnown: Bool) -> String? { coverage.note(isKnown: isKnown) }
}

extension AudienceFlow.Coverage {
  /// The note of a number; nil if snapshots cover its time.
  fileprivate func note(isKnown: Bool) -> String? {
    switch self {
    case .whole: nil
    case .partial, .interval: rawValue
    case .survivors: isKnown ? rawValue : Self.unobserved.rawValue
    case .unobserved: isKnown ? "at-least" : rawValue
    }
  }
}

extension PostKinds {
  /// `text`, `image` and so on; the first one if there are several.
  public var name: String {
    let names: [(PostKinds, String)] = [
      (.text, "text"), (.image, "image"), (.video, "video"), (.link, "link"), (.quote, "quote"),
      (.reply, "reply"),
    ]
    return names.first { contains($0.0) }?.1 ?? "other"
  }
}

extension BotSign {
  /// The main number of the rule.
  fileprivate var figure: Double? {
    switch self {
    case .label, .nameless: nil
    case .followsManyUnreturned(let follows, _): Double(follows)
    case .youngAndBusy(_, let follows): Double(follows)
    case .postsWithoutEnd(let perDay): Double(perDay)
    case .clockwork(_, let variation): variation
    }
  }

  /// The sign in words, with the labeler's name if known.
  func text(naming accounts: [DID: InsightAccount] = [:]) -> String {
    switch self {
    case .label(let label):
      "labeled \(label.value) by \((accounts[label.labeler] ?? InsightAccount(label.labeler)).name)"
    case .followsManyUnreturned(let follows, let followers): "follows \(follows), followed by \(followers)"
    case .youngAndBusy(let days, let follows): "\(days) days old and follows \(follows)"
    case .postsWithoutEnd(let perDay): "\(perDay) posts a day since its creation"
    case .clockwork(let posts, let variation):
      "intervals between its last \(posts) posts vary by \(Int((variation * 100).rounded())) %"
    case .nameless: "no name and no description"
    }
  }
}
