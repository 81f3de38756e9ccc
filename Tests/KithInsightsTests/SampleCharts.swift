// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import TestSupport

/// Charts of each kind, with figures that are the same in each run.
struct SampleCharts {
  static let day: Int64 = 86_400_000_000
  /// 1 January 2025.
  static let start: Instant = 1_735_689_600_000_000
  static let berlin = ZonedCalendar(name: "Europe/Berlin", secondsEast: 3_600)

  let growth: Chart
  let flows: Chart
  let kinds: Chart
  let hours: Chart
  let cohorts: Chart

  var all: [Chart] { [growth, flows, kinds, hours, cohorts] }

  init() {
    var numbers = SeededNumbers(seed: 7)
    growth = Self.growth(&numbers)
    flows = Self.flows(&numbers)
    kinds = Self.kinds()
    hours = Self.hours(&numbers)
    cohorts = Self.cohorts()
  }

  static func timeline(_ values: [Double], maxGap: Duration? = nil) -> Timeline {
    let points = values.enumerated().map { Timeline.Point(at: start + .days($0.offset), $0.element) }
    return Timeline(series: [.init("Followers", points: points, maxGap: maxGap)])
  }

  static func chart(_ values: [Double]) -> Chart { Chart("Followers", content: .timeline(timeline(values))) }

  private static func growth(_ numbers: inout SeededNumbers) -> Chart {
    let seam = start + .days(300)
    var count = 11_000.0
    var counts: [Timeline.Point] = []
    for step in 0..<200 {
      count += Double.random(in: -20...60, using: &numbers).rounded()
      let isMissing = (90..<110).contains(step)
      if !isMissing { counts.append(.init(at: seam + .days(step), count)) }
    }
    let survivors = (0..<10).map {
      Timeline.Point(at: start + .days($0 * 30), 1_000 + Double($0) * 900)
    }
    let band = (0...60).map { (step: Int) -> Timeline.Band.Point in
      let wide = Double(step) * 20
      return .init(at: seam + .days(200 + step), count - wide, count + 2 * wide)
    }
    return Chart(
      "Followers since the beginning", subtitle: "Before the first snapshot, only those who stayed",
      notes: ["True counts before the first snapshot were at least as high."],
      content: .timeline(
        Timeline(
          series: [
            .init("Counted", points: counts, maxGap: .days(5)),
            .init("Survivors", points: survivors, style: .dashed),
          ], bands: [.init("80 % likely", points: band)], marks: [.init(at: seam, "first snapshot")],
          levels: [.init(20_000, "Goal")], clock: berlin)))
  }

  private static func flows(_ numbers: inout SeededNumbers) -> Chart {
    let items = (1...12).map { month in
      FlowBars.Item(
        "2025-\(month < 10 ? "0" : "")\(month)", gained: Int.random(in: 40...300, using: &numbers),
        lost: month < 4 ? nil : Int.random(in: 10...180, using: &numbers),
        coverage: month < 4 ? .survivors : month == 12 ? .partial : .whole)
    }
    return Chart("Gained and lost by month", content: .flows(FlowBars(items: items)))
  }

  private static func kinds() -> Chart {
    let items: [CategoryBars.Item] = [
      .init("Text", 0.012, interval: 0.010...0.015, sampleSize: 320),
      .init("Image", 0.021, interval: 0.017...0.026, sampleSize: 121, emphasis: .better),
      .init("Link card", 0.006, interval: 0.004...0.008, sampleSize: 77, emphasis: .worse),
      .init("Quote", nil, sampleSize: 4),
    ]
    return Chart(
      "Engagement by kind of post", subtitle: "Median interactions for each follower", valueKind: .share,
      content: .categories(CategoryBars(items: items)))
  }

  private static func hours(_ numbers: inout SeededNumbers) -> Chart {
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let cells = days.map { _ in
      (0..<24).map { $0 < 6 ? nil : Double.random(in: 0.002...0.03, using: &numbers) }
    }
    return Chart(
      "Engagement by weekday and hour", valueKind: .share,
      content: .grid(
        Grid(
          rowLabels: days, columnLabels: (0..<24).map { "\($0)" }, cells: cells,
          sampleSizes: cells.map { $0.map { $0 == nil ? 2 : 12 } }, rowsName: "Weekday", columnsName: "Hour"))
    )
  }

  private static func cohorts() -> Chart {
    let cells = (0..<8).map { row in (0..<8).map { $0 < 8 - row ? 1 - Double($0) * 0.06 : nil } }
    return Chart(
      "Retention", valueKind: .share,
      content: .grid(
        Grid(
          rowLabels: (1...8).map { "2025-0\($0)" }, columnLabels: (0..<8).map { "\($0)" }, cells: cells,
          rowsName: "Cohort", columnsName: "Months later")))
  }

  /// A report with a section for each chart, and one with only a table.
  func report() -> InsightReport {
    let table = ChartTable(
      headings: ["Account", "Followers"], rows: (0..<8).map { ["account-\($0).example", "\($0 * 731)"] })
    return InsightReport(
      title: "Audience of alice.example", subtitle: "Who follows, who came, who left, and how posts did",
      generatedAt: Self.start + .days(500), clock: Self.berlin,
      cards: [
        .init("Followers", "14,921", change: "+1,204 in 30 days", sense: .better),
        .init("Lost", "212", change: "+18 in 30 days", sense: .worse, detail: "1.4% of followers"),
        .init("Follow-back rate", "31%", change: "no change", detail: "interval 28–34%"),
        .init("Median engagement", "1.2%", detail: "of 1,568 posts"),
      ],
      sections: all.enumerated().map { index, chart in
        .init(id: "chart \(index)", heading: "Part \(index + 1)", paragraphs: ["A paragraph."], chart: chart)
      } + [.init(id: "accounts", heading: "Accounts", table: table, notes: ["A note."])],
      notes: ["Definitions are in the manual."])
  }
}
