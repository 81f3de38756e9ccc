// SPDX-License-Identifier: Apache-2.0

/// A monotonic instant in eight bytes: whole nanoseconds, good for 292 years.
struct CacheInstant: Comparable, Sendable {
  private let nanoseconds: Int64

  /// Fractions of a nanosecond are truncated; values out of range are clamped.
  init(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, tooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    nanoseconds = overflow || tooMuch ? (seconds < 0 ? .min : .max) : sum
  }

  /// Before every other instant.
  static let distantPast = CacheInstant(nanoseconds: .min)

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  static func < (lhs: CacheInstant, rhs: CacheInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  static func + (lhs: CacheInstant, rhs: CacheInstant) -> CacheInstant {
    let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
    return CacheInstant(nanoseconds: overflow ? (lhs.nanoseconds < 0 ? .min : .max) : sum)
  }
}
