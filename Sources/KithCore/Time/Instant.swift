// SPDX-License-Identifier: Apache-2.0

/// A time of the wall clock, to the microsecond.
///
/// Arithmetic saturates at the ends of its range, some 292,000 years from 1970: a server may claim any time.
public struct Instant: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let microsecondsSinceEpoch: Int64

  /// Creates an instant from microseconds since 1970-01-01T00:00:00Z.
  public init(microsecondsSinceEpoch: Int64) { self.microsecondsSinceEpoch = microsecondsSinceEpoch }

  /// Creates an instant from whole seconds since 1970; too many are the first or the last instant.
  public init(secondsSinceEpoch seconds: Int64) {
    let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    microsecondsSinceEpoch = overflow ? (seconds < 0 ? .min : .max) : microseconds
  }

  /// 1970-01-01T00:00:00Z.
  public static let epoch = Instant(microsecondsSinceEpoch: 0)
  /// Before all others.
  public static let distantPast = Instant(microsecondsSinceEpoch: .min)
  /// After all others.
  public static let distantFuture = Instant(microsecondsSinceEpoch: .max)

  /// Whole seconds since 1970, rounded down.
  public var secondsSinceEpoch: Int64 { microsecondsSinceEpoch.flooredQuotient(1_000_000) }

  /// The beginning of 2022: before it, no account of the network had records.
  package static let networkBegan = Instant(microsecondsSinceEpoch: 1_640_995_200_000_000)
}

extension Instant: Comparable {
  public static func < (one: Instant, other: Instant) -> Bool {
    one.microsecondsSinceEpoch < other.microsecondsSinceEpoch
  }
}

extension Instant {
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.microsecondsSinceEpoch.addingReportingOverflow(duration.inMicroseconds)
    return overflow
      ? (duration < .zero ? .distantPast : .distantFuture) : Instant(microsecondsSinceEpoch: sum)
  }

  public static func - (instant: Instant, duration: Duration) -> Instant {
    let (difference, overflow) = instant.microsecondsSinceEpoch.subtractingReportingOverflow(
      duration.inMicroseconds)
    return overflow
      ? (duration < .zero ? .distantFuture : .distantPast) : Instant(microsecondsSinceEpoch: difference)
  }

  /// How much later one instant is than another.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    let (difference, overflow) =
      later.microsecondsSinceEpoch.subtractingReportingOverflow(earlier.microsecondsSinceEpoch)
    return .microseconds(overflow ? (later < earlier ? .min : .max) : difference)
  }

  public static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

  public static func -= (instant: inout Instant, duration: Duration) { instant = instant - duration }
}

extension Duration {
  /// Whole microseconds, rounded towards zero; the nearest number if there are too many.
  package var inMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isTooLarge) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflow || isTooLarge ? (seconds < 0 ? .min : .max) : sum
  }

  /// Whole milliseconds, rounded down; the nearest number if there are too many.
  package var inMilliseconds: Int64 { inMicroseconds.flooredQuotient(1_000) }

  /// Days of 24 hours.
  package static func days(_ count: some BinaryInteger) -> Duration { .seconds(Int64(count) * 86_400) }
}
