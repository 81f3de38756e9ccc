// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore

/// Tables store times as microseconds since 1970.
extension Instant {
  var databaseValue: DatabaseValue { microsecondsSinceEpoch.databaseValue }
}

extension Row {
  /// The time in a column; nil if it is null.
  func instant(_ column: String) -> Instant? {
    (self[column] as Int64?).map(Instant.init(microsecondsSinceEpoch:))
  }

  /// The time in a column that is never null.
  func time(_ column: String) -> Instant { Instant(microsecondsSinceEpoch: self[column]) }
}
