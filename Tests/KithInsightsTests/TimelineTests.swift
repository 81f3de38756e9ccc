// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// What a timeline draws: the curve fills the picture, and steps are lines.
@Suite struct TimelineTests {
  private func timeline(_ values: [Double], goal: Double, startsAtZero: Bool = false) -> Timeline {
    var timeline = SampleCharts.timeline(values)
    (timeline.path, timeline.startsAtZero, timeline.levels) = (.steps, startsAtZero, [.init(goal, "goal")])
    return timeline
  }

  /// How much of the height the curve fills.
  private func filledShare(_ timeline: Timeline) throws -> Double {
    let values = try #require(timeline.valueRange)
    let scale = ValueScale(values, kind: .count, most: 8, mayBreak: !timeline.startsAtZero)
    return scale.fraction(timeline.series[0].points.map(\.value).max() ?? 0)
  }

  @Test(
    arguments: [(2_400, false), (1_300, false), (1_200, true), (900, true), (100, true)] as [(Double, Bool)])
  func aFarGoalDoesNotSqueezeTheCurve(goal: Double, isNear: Bool) throws {
    let timeline = timeline([300, 500, 802], goal: goal)
    #expect(try filledShare(timeline) >= 0.6)
    let levels = timeline.levelsByDistance
    #expect(
      levels.near.map(\.value) == (isNear ? [goal] : []) && levels.far.map(\.value) == (isNear ? [] : [goal]))
    // It is named in any case.
    let name = "goal: \(ValueKind.count.labelText(goal))"
    let chart = Chart("Followers", content: .timeline(timeline))
    let (svg, text) = (chart.svg(), chart.text().joined(separator: "\n"))
    #expect(svg.contains(name) && text.contains(name))
    #expect(svg.contains("class=\"lv\"") == isNear)
    #expect((svg.contains("↑ \(name)") && text.contains("↑ \(name)")) == !isNear)
    #expect(chart.table.notes == ["\(name)."] || chart.table.notes.first?.hasPrefix("goal: ") == true)
  }

  /// The axis of close values begins above zero, and what is near is near them.
  @Test func aGoalBelowCloseValuesIsNamedAtTheBottom() throws {
    let timeline = timeline([1_000, 1_010, 1_020], goal: 500)
    #expect(timeline.levelsByDistance.far.count == 1 && timeline.valueRange == 1_000...1_020)
    #expect(Chart("F", content: .timeline(timeline)).svg().contains("↓ goal: 500"))
    let whole = self.timeline([1_000, 1_010, 1_020], goal: 500, startsAtZero: true)
    #expect(whole.levelsByDistance.near.count == 1)
    #expect(!Chart("F", content: .timeline(whole)).svg().contains("axis starts at"))
  }

  @Test func levelsThatAreNotFiniteAreLeftOut() {
    for goal in [Double.nan, .infinity, -.infinity] {
      let timeline = timeline([1, 2], goal: goal)
      #expect(timeline.levelsByDistance.near.isEmpty && timeline.levelsByDistance.far.isEmpty)
      #expect(timeline.valueRange == 1...2)
    }
    #expect(Timeline(series: [], levels: [.init(5, "goal")]).levelsByDistance.near.isEmpty)
  }

  /// Counts of 26 weeks are a line of steps, without a mark for each week.
  @Test func weeksAreSteps() {
    var weekly = SampleCharts.timeline((0..<26).map { 200 + Double($0) * 10 })
    func marks(_ timeline: Timeline) -> Int {
      Chart("F", content: .timeline(timeline)).svg().ranges(of: "class=\"dot").count
    }
    #expect(marks(weekly) == 27)
    weekly.path = .steps
    // The last value has one.
    #expect(marks(weekly) == 1)
    // A single count is a point and not a line.
    #expect(marks(Timeline(series: [.init("F", points: [.init(at: 0, 5)])], path: .steps)) == 2)
  }
}
