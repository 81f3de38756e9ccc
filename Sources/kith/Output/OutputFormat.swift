// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The format of rows or of a report.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Aligned columns for people.
  case table
  /// One JSON array.
  case json
  /// One JSON object per line.
  case ndjson
  /// A header line, then one line per row (RFC 4180).
  case csv
  /// A report as one self-contained page.
  case html
  /// A report as Markdown.
  case md
  /// A report as one image: cards and a chart.
  case svg

  /// The formats of rows, as help and completions show them.
  static let allValueStrings = allCases.filter { !$0.isOfReports }.map(\.rawValue)

  /// Whether only reports support it.
  var isOfReports: Bool {
    switch self {
    case .table, .json, .ndjson, .csv: false
    case .html, .md, .svg: true
    }
  }
}
