// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension Cohort {
  /// The most periods after its own that a chart shows.
  fileprivate static let mostPeriods = 13
  /// The fewest arrivals from which a chart shows shares.
  fileprivate static let fewest = 10

  /// Whether a snapshot shows how many remained at the end of a charted period.
  var isKnown: Bool { retained.prefix(Self.mostPeriods).contains { $0 != nil } }
}

/// The charts of the insights; each shows only the figures of its metric.
extension AccountInsights {
  /// Snapshots are taken daily or weekly; a longer interval is a gap.
  private static let longestPause = GrowthCurve.oldAge
  /// The remaining categories are combined.
  private static let mostCategories = 12

  func growthChart(_ growth: GrowthCurve) -> Chart {
    var survivors = Self.points(growth.survivors)
    let counts = Self.points([growth.countAtStart].compactMap(\.self) + growth.counts)
    // The survivors extend to the seam, where they are known exactly.
    if let seam = growth.seam, let last = survivors.last, last.at < seam {
      survivors.append(Timeline.Point(at: seam, last.value))
    }
    let bounds = zip(growth.survivors, growth.survivorBounds).map {
      Timeline.Band.Point(at: $0.at, $1.lowerBound, $1.upperBound)
    }
    let dashed =
      survivors.isEmpty
      ? nil : "Dashed: only followers that stayed until the first snapshot; the true counts were higher."
    let sample =
      growth.survivors.isEmpty
      ? nil : growth.sampleSize.map { "The dashed line is estimated from \($0) followers." }
    let undated =
      growth.sampleSize == nil && growth.undated > 0 && !growth.survivors.isEmpty
      ? "\(ValueKind.count.text(Double(growth.undated))) followers of the first snapshot have no date."
      : nil
    let unlisted =
      growth.unlisted > 0
      ? "Counted by the profile: \(ValueKind.count.text(Double(growth.unlisted))) of them are not listed, such as "
        + "suspended accounts." : nil
    let name = growth.measure == .counted ? "Counted" : "Listed"
    return Chart(
      "Followers", subtitle: overview?.followers.flatMap(changeText),
      notes: [dashed, unlisted, sample, undated].compactMap(\.self),
      content: .timeline(
        Timeline(
          series: [
            .init("Still there at the first snapshot", points: survivors, style: .dashed),
            .init(name, points: counts, maxGap: Self.longestPause),
          ].filter { !$0.points.isEmpty },
          bands: bounds.isEmpty ? [] : [.init("95 % of the estimate", points: bounds)],
          marks: growth.seam.map { [.init(at: $0, "first snapshot")] } ?? [],
          levels: goalLevel, path: .steps,
          // Two measures of one thing must not look like a jump.
          startsAtZero: !survivors.isEmpty, clock: clock)))
  }

  private static func points(_ counts: [Sample<Int>]) -> [Timeline.Point] {
    counts.map { Timeline.Point(at: $0.at, Double($0.value)) }
  }

  private var goalLevel: [Timeline.Level] { goal.map { [.init(Double($0.goal), "goal")] } ?? [] }

  /// The counts, for a section without a chart of its own; nil if another section shows them, or if they are not a line.
  func countChart(_ title: String, subtitle: String? = nil, notes: [String]) -> Chart? {
    let moments = followerCounts.map(\.at)
    guard growth == nil, let first = moments.min(), let last = moments.max(), last - first >= .days(1) else {
      return nil
    }
    return Chart(
      title, subtitle: subtitle, notes: notes,
      content: .timeline(
        Timeline(
          series: [.init("Counted", points: Self.points(followerCounts), maxGap: Self.longestPause)],
          levels: goalLevel, path: .steps, clock: clock)))
  }

  var flowChart: Chart {
    Chart(
      "New and lost followers",
      subtitle: flows.first?.parts.first.map { "by \($0.period.unit.rawValue), time zone \(clock.name)" },
      notes: [hiddenNote].compactMap(\.self),
      content: .flows(FlowBars(items: flows.map(item), gainedName: "Gained", lostName: "Lost")))
  }

  /// What own blocks hid and showed again; nil if they did not.
  private var hiddenNote: String? {
    let (hidden, shown) = flows.reduce((0, 0)) { ($0.0 + $1.hidden, $0.1 + $1.shown) }
    let parts = [(hidden, "hidden by your own blocks"), (shown, "shown again")].filter { $0.0 > 0 }
    guard !parts.isEmpty else { return nil }
    return "Neither gained nor lost: \(parts.map { "\(Self.text($0.0)) \($0.1)" }.joined(separator: ", "))."
  }

  private func item(_ flow: AudienceFlow) -> FlowBars.Item {
    var item = FlowBars.Item(
      flow.parts.map { FlowBars.Part("\($0.period)", gained: $0.isKnown ? $0.arrivals : nil) },
      undated: flow.undated, lost: flow.losses?.count, coverage: flow.coverage,
      lossTime: flow.losses.map { spanText($0.time) })
    (item.hidden, item.shown) = (flow.hidden, flow.shown)
    return item
  }

  private func spanText(_ time: Range<Instant>) -> String {
    let ends = [time.lowerBound, time.upperBound].map { Moment.tableText($0, clock, withTime: true) }
    return "after \(ends[0]), by \(ends[1])"
  }

  var cohortChart: Chart {
    let shown = cohorts.filter { $0.isKnown && $0.size >= Cohort.fewest }.suffix(Cohort.mostPeriods)
    let columns = min(Cohort.mostPeriods, shown.map(\.retained.count).max() ?? 0)
    let unit = shown.first?.period.unit.rawValue ?? "period"
    let share = { (cohort: Cohort) in
      // What a cohort lacks at the end is still to come.
      cohort.shares.prefix(columns).map { $0?.value }
    }
    var notes: [String] = []
    if shown.contains(where: \.isOfSurvivors) {
      notes.append(
        "Marked *: accounts that came and left before a snapshot saw them are missing, so the shares are too high."
      )
    }
    if shown.contains(where: { $0.shares.contains { $0?.bounds != nil } }) {
      notes.append(
        "Some followers of the first snapshot were lost before their date was known. The shares marked * assume "
          + "that they came like the others.")
    }
    if cohorts.contains(where: \.isPruned) {
      notes.append("Cohorts are left out if accounts of them were deleted from the history.")
    }
    return Chart(
      "Share remaining", subtitle: "by \(unit) of arrival", notes: notes, valueKind: .share,
      content: .grid(
        Grid(
          rowLabels: shown.map { "\($0.period)\($0.isOfSurvivors ? "*" : "")" },
          columnLabels: (0..<columns).map { "+\($0)" }, cells: shown.map(share),
          sampleSizes: shown.map { cohort in (0..<columns).map { _ in cohort.size } },
          rowsName: "Arrived in", columnsName: "\(unit)s later", showsFigures: true)))
  }

  func forecastChart(_ forecast: Forecast) -> Chart {
    // Twice as much past as future.
    let start = (forecast.points.first?.at ?? at) - .days(max(60, 2 * forecast.points.count))
    let past = Self.points(followerCounts.filter { $0.at >= start }.sorted { $0.at < $1.at })
    func band(_ name: String, _ range: (Forecast.Point) -> ClosedRange<Double>) -> Timeline.Band {
      .init(
        name,
        points: forecast.points.map { .init(at: $0.at, range($0).lowerBound, range($0).upperBound) })
    }
    return Chart(
      "Forecast of followers",
      notes: [
        "Expected: if the recent growth goes on and slowly fades out.",
        "The count will be in the darker band with a chance of 80 %, and in the whole band with one of 95 %.",
      ],
      content: .timeline(
        Timeline(
          series: [
            .init(
              "Counted", points: past, maxGap: Self.longestPause, path: .steps),
            .init(
              "Expected", points: forecast.points.map { .init(at: $0.at, $0.expected) }, style: .dashed),
          ], bands: [band("95 %", \.possible), band("80 %", \.likely)],
          levels: goalLevel, clock: clock)))
  }

  func kindChart(_ engagement: Engagement) -> Chart {
    Chart(
      "Interactions per 1,000 followers, by kind of post", subtitle: "median and its 95 % interval",
      valueKind: .rate,
      content: .categories(
        CategoryBars(
          items: engagement.byKind.map { item($0.key.name, $0) }, missingText: "too few posts")))
  }

  func hourChart(_ engagement: Engagement) -> Chart {
    Chart(
      "Interactions per 1,000 followers, by hour",
      subtitle: "median and its 95 % interval, time zone \(clock.name)", valueKind: .rate,
      content: .categories(
        CategoryBars(
          items: (0..<24).map { hour in
            engagement.byHour.first { $0.key == hour }.map { item(Self.hour(hour), $0) }
              ?? CategoryBars.Item(Self.hour(hour), nil, sampleSize: 0)
          }, missingText: "too few posts")))
  }

  static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  func weekdayChart(_ engagement: Engagement) -> Chart {
    Chart(
      "Interactions per 1,000 followers, by weekday",
      subtitle: "median and its 95 % interval, time zone \(clock.name)",
      valueKind: .rate,
      content: .categories(
        CategoryBars(
          items: engagement.byWeekday.map { item(Self.weekdays[($0.key - 1) % 7], $0) },
          missingText: "too few posts")))
  }

  private func item<Key>(_ label: String, _ group: EngagementGroup<Key>) -> CategoryBars.Item {
    func perThousand(_ value: Double) -> Double { value * 1_000 }
    return CategoryBars.Item(
      label, group.rate.map { perThousand($0.value) },
      interval: group.rate.map { perThousand($0.interval.lowerBound)...perThousand($0.interval.upperBound) },
      sampleSize: group.posts, emphasis: .init(group.comparison))
  }

  func weekChart(_ engagement: Engagement) -> Chart {
    var groups: [HourOfWeek: EngagementGroup<HourOfWeek>] = [:]
    for group in engagement.byHourOfWeek { groups[group.key] = group }
    let rows = (1...7).map { weekday in (0..<24).map { groups[HourOfWeek(weekday: weekday, hour: $0)] } }
    return Chart(
      "Interactions per 1,000 followers, by hour of the week",
      subtitle: "median of \(EngagementGroup<Int>.fewestPosts) posts or more, time zone \(clock.name)",
      valueKind: .rate,
      content: .grid(
        Grid(
          rowLabels: Self.weekdays, columnLabels: (0..<24).map { $0 < 10 ? "0\($0)" : "\($0)" },
          cells: rows.map { $0.map { $0?.rate.map { $0.value * 1_000 } } },
          sampleSizes: rows.map { $0.map { $0?.posts } },
          rowsName: "Weekday", columnsName: "Hour")))
  }

  func activityChart(_ activity: Composition<AgeClass>) -> Chart {
    let names: [AgeClass: String] = [
      .week: "within a week", .month: "a week to a month ago", .quarter: "1 to 3 months ago",
      .year: "3 to 12 months ago", .older: "longer ago",
    ]
    return ordered("Last activity", activity, names)
  }

  func ageChart(_ audience: AudienceParts) -> Chart {
    let names: [AgeClass: String] = [
      .week: "under a week", .month: "a week to a month", .quarter: "1 to 3 months",
      .year: "3 to 12 months", .older: "a year or more",
    ]
    return ordered("Age of followers' accounts", audience.ages, names)
  }

  private func ordered(
    _ title: String, _ composition: Composition<AgeClass>, _ names: [AgeClass: String]
  ) -> Chart {
    let items = AgeClass.allCases.compactMap { age in
      composition.parts.first { $0.key == age }.map { item(names[age] ?? age.rawValue, $0) }
    }
    return Chart(
      title, notes: notes(composition), valueKind: .share, content: .categories(CategoryBars(items: items)))
  }

  func compositionChart<Key>(
    _ title: String, _ composition: Composition<Key>, _ name: (Key) -> String
  ) -> Chart {
    var items = composition.parts.prefix(Self.mostCategories).map { item(name($0.key), $0) }
    let rest = composition.parts.dropFirst(Self.mostCategories)
    if let share = Estimate.share(rest.reduce(0) { $0 + $1.count }, of: composition.known), !rest.isEmpty {
      items.append(
        CategoryBars.Item(
          "\(rest.count) others", share.value, interval: share.interval, sampleSize: share.sampleSize))
    }
    return Chart(
      title, notes: notes(composition), valueKind: .share, content: .categories(CategoryBars(items: items)))
  }

  private func item<Key>(_ label: String, _ part: Composition<Key>.Part) -> CategoryBars.Item {
    CategoryBars.Item(
      label, part.share.value, interval: part.share.interval, sampleSize: part.share.sampleSize)
  }

  func wordChart(_ words: BioWords) -> Chart {
    Chart(
      "Words in followers' bios", valueKind: .share,
      content: .categories(
        CategoryBars(
          items: words.entries.map {
            CategoryBars.Item(
              $0.word, $0.share.value, interval: $0.share.interval, sampleSize: $0.share.sampleSize)
          })))
  }

  func audienceHourChart(_ times: PostingTimes) -> Chart {
    postingChart("Followers that post, by hour", times.byHour) { Self.hour($0) }
  }

  func audienceWeekdayChart(_ times: PostingTimes) -> Chart {
    postingChart("Followers that post, by weekday", times.byWeekday) { Self.weekdays[($0 - 1) % 7] }
  }

  private func postingChart(
    _ title: String, _ parts: [PostingTimes.Part], _ label: (Int) -> String
  ) -> Chart {
    Chart(
      title, subtitle: "share and its 95 % interval, time zone \(clock.name)", valueKind: .share,
      content: .categories(
        CategoryBars(
          items: parts.map { part in
            CategoryBars.Item(
              label(part.number), part.share?.value, interval: part.share?.interval,
              sampleSize: part.share?.sampleSize, emphasis: .init(part.comparison))
          })))
  }

  private func notes<Key>(_ composition: Composition<Key>) -> [String] {
    composition.unknown > 0
      ? ["Unknown for \(ValueKind.count.text(Double(composition.unknown))) of those examined."] : []
  }

  var segmentChart: Chart {
    Chart(
      "Followers in segments", notes: segments.map { "\($0.name): \($0.predicate)" },
      content: .timeline(
        Timeline(
          series: segments.map { segment in
            .init(segment.name, points: segment.counts.map { .init(at: $0.at, Double($0.value)) })
          }, clock: clock)))
  }

  func blockChart(_ blocks: BlockTimeline) -> Chart {
    Chart(
      "Blocks",
      subtitle: blocks.rows.first?.parts.first.map {
        "by \($0.period.unit.rawValue), time zone \(clock.name)"
      },
      notes: (blocks.undated > 0
        ? [
          "\(ValueKind.count.text(Double(blocks.undated))) \(blocks.undated == 1 ? "block has" : "blocks have") no date."
        ] : [])
        + (blocks.unplaced > 0
          ? [
            "\(ValueKind.count.text(Double(blocks.unplaced))) \(blocks.unplaced == 1 ? "account" : "accounts") blocked "
              + "between snapshots that do not tell the period."
          ] : []),
      content: .flows(
        FlowBars(
          items: blocks.rows.map(item), gainedName: "Blocks made", lostName: "Blocked by", showsNet: false)))
  }

  private func item(_ row: BlockTimeline.Row) -> FlowBars.Item {
    FlowBars.Item(
      row.parts.map { FlowBars.Part("\($0.period)", gained: $0.blocking) }, lost: row.blockedBy,
      coverage: row.coverage, lossTime: row.observed.map(spanText))
  }
}

extension CategoryBars.Item.Emphasis {
  fileprivate init<Key>(_ comparison: EngagementGroup<Key>.Comparison) {
    self =
      switch comparison {
      case .better: .better
      case .worse: .worse
      case .unclear: .none
      }
  }

  fileprivate init(_ comparison: PostingTimes.Comparison) {
    self =
      switch comparison {
      case .more: .more
      case .fewer: .fewer
      case .unclear: .none
      }
  }
}
