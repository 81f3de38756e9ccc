// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithInsights

/// The format of a page of statistics.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// One self-contained page.
  case html
  /// Markdown.
  case md
  /// One image: cards and a chart.
  case svg

  func text(_ report: InsightReport) -> String {
    switch self {
    case .html: report.html()
    case .md: report.markdown()
    case .svg: report.svg()
    }
  }
}
