// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// In tests a plain number is an instant: this many microseconds after the beginning of 1970.
extension Instant: ExpressibleByIntegerLiteral {
  public init(integerLiteral microseconds: Int64) { self.init(microsecondsSinceEpoch: microseconds) }
}

extension Instant {
  /// The instant this many microseconds after the beginning of 1970.
  package init(_ microseconds: some BinaryInteger) { self.init(microsecondsSinceEpoch: Int64(microseconds)) }
}

/// Microseconds, as plain numbers.
package func + (instant: Instant, microseconds: Int64) -> Instant { instant + .microseconds(microseconds) }
package func - (instant: Instant, microseconds: Int64) -> Instant { instant - .microseconds(microseconds) }
package func += (instant: inout Instant, microseconds: Int64) { instant = instant + microseconds }
package func -= (instant: inout Instant, microseconds: Int64) { instant = instant - microseconds }

extension Instant {
  package static let min = distantPast
  package static let max = distantFuture
}

extension Instant: Encodable {
  /// As a plain number of microseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(microsecondsSinceEpoch)
  }
}
