// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithInsights

extension ComputeStatistics {
  /// Whether any metric is based on snapshots of followers.
  var needsFollowers: Bool {
    let others: Set<InsightMetric> = [.goal, .forecast, .segments]
    return !metrics.subtracting(others).isEmpty
  }

  /// Whether any metric depends on follow dates.
  var needsDates: Bool {
    !metrics.isDisjoint(with: [.growth, .flow, .cohorts, .followBack, .engagement, .times])
  }

  var needsFollows: Bool { !metrics.isDisjoint(with: [.cards, .followBack]) }

  var needsBlocks: Bool { metrics.contains(.blocks) || metrics.contains(.cards) }

  var needsPosts: Bool { !metrics.isDisjoint(with: [.engagement, .times, .top]) }

  /// Whether any metric needs a sample of the followers.
  var needsSample: Bool { needsProfiles || needsLatestPosts || wants(.activity) }

  /// Whether any metric needs the profiles of followers.
  var needsProfiles: Bool { !metrics.isDisjoint(with: [.top, .audience, .bots]) }

  /// Whether any metric needs the latest posts of followers.
  var needsLatestPosts: Bool { !metrics.isDisjoint(with: [.audience, .bots, .audienceTimes]) }

  /// Whether the accounts that came and left are named, for a reader of a page.
  var showsPeople: Bool { wants(.flow) && !wantsRows }

  /// The sizes of the samples of this many followers.
  func sampleSizes(followers: Int) -> SampleSizes {
    SampleSizes(sample, followers: followers, findsExtremes: wants(.top) || wants(.bots))
  }

  /// The sides of which snapshots are needed.
  var sides: [HistoryListing.Side] {
    (needsFollowers || refreshes ? [.followers] : []) + (needsFollows ? [.follows] : [])
      + (needsBlocks ? [.blocks] : [])
  }

  func wants(_ metric: InsightMetric) -> Bool { metrics.contains(metric) }

  /// The calendar unit of changes in a period: by default one that suits it, and not finer than snapshots are taken.
  ///
  /// - Parameter distance: the typical time between snapshots; nil if there are fewer than two.
  func unit(for time: Range<Instant>, apart distance: Duration?) -> CalendarUnit {
    if let unit { return unit }
    // Half a period more still tells one from the next.
    func suits(_ most: Duration, _ period: Duration) -> Bool {
      time.upperBound - time.lowerBound < most && distance ?? .zero <= period * 1.5
    }
    if suits(.days(46), .days(1)) { return .day }
    if suits(.days(401), .days(7)) { return .week }
    return distance ?? .zero <= .days(45) ? .month : .year
  }
}
