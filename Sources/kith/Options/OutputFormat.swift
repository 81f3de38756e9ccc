// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How rows are printed, or a report is written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Aligned columns for people.
  case table
  /// One JSON array.
  case json
  /// One JSON object a line.
  case ndjson
  /// A header line and one line a row, by RFC 4180.
  case csv
  /// A report as one page that needs nothing else.
  case html
  /// A report as text for a page of a wiki or a repository.
  case md
  /// A report as one picture: cards and a chart.
  case svg

  /// Those of rows; what help and completions show.
  static let allValueStrings = allCases.filter { !$0.isOfReports }.map(\.rawValue)

  /// Whether only a report has it, and rows do not.
  var isOfReports: Bool {
    switch self {
    case .table, .json, .ndjson, .csv: false
    case .html, .md, .svg: true
    }
  }
}
