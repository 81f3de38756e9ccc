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
  var needsSample: Bool { !metrics.isDisjoint(with: [.top, .activity, .audience, .bots]) }

  /// The sides of which snapshots are needed.
  var sides: [HistoryListing.Side] {
    (needsFollowers ? [.followers] : []) + (needsFollows ? [.follows] : []) + (needsBlocks ? [.blocks] : [])
  }

  func wants(_ metric: InsightMetric) -> Bool { metrics.contains(metric) }

  /// The calendar unit of changes in a period.
  func unit(for time: Range<Instant>) -> CalendarUnit {
    if let unit { return unit }
    return switch time.upperBound - time.lowerBound {
    case ..<(.days(46)): .day
    case ..<(.days(401)): .week
    default: .month
    }
  }
}
