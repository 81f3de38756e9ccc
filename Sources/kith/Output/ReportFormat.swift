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
  case png

  /// Whether it is an image, which shows one metric besides the cards.
  var isPicture: Bool { self == .svg || self == .png }
}
