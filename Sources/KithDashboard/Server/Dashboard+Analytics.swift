// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages

extension Dashboard {
  /// Adds the page of analytics, its report, and what its buttons begin.
  static func addAnalytics(to routes: inout LocalRoutes<Action>) {
    routes.add("GET", "/{account}/analytics") { dashboard, visit in
      try await AnalyticsPage(visit, dashboard.analytics, dashboard.clock).response()
    }
    routes.add("GET", "/{account}/analytics/report.html") { dashboard, visit in
      try await AnalyticsPage(visit, dashboard.analytics, dashboard.clock).report()
    }
    routes.add("POST", "/{account}/analytics/snapshot") { dashboard, visit in
      try AnalyticsPage(visit, dashboard.analytics, dashboard.clock).takeSnapshot()
    }
    routes.add("POST", "/{account}/analytics/survey") { dashboard, visit in
      try AnalyticsPage(visit, dashboard.analytics, dashboard.clock).beginSurvey()
    }
  }
}
