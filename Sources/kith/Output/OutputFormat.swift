// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The format of rows.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Aligned columns for people.
  case table
  /// One JSON array.
  case json
  /// One JSON object per line.
  case ndjson
  /// A header line, then one line per row (RFC 4180).
  case csv
}
