// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How rows are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Aligned columns for people.
  case table
  /// One JSON array.
  case json
  /// One JSON object a line.
  case ndjson
  /// A header line and one line a row, by RFC 4180.
  case csv
}
