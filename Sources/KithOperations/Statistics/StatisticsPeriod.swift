// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The time that statistics are about.
public enum StatisticsPeriod: Sendable, Hashable {
  /// From the first known data to now.
  case whole
  /// From a moment, or the beginning of the network, to another one, or now.
  case between(Moment?, Moment?)

  /// A moment that may depend on the time of reading.
  public enum Moment: Sendable, Hashable {
    case at(Instant)
    /// So long before now.
    case ago(Duration)

    fileprivate func instant(now: Instant) -> Instant {
      switch self {
      case .at(let instant): instant
      case .ago(let duration): now - duration
      }
    }
  }

  /// The period that ends now.
  public static func last(_ duration: Duration) -> StatisticsPeriod { .between(.ago(duration), nil) }

  /// The times of the period; nil for the whole.
  ///
  /// - Throws: ``OperationError`` `emptyTime` if it ends before it begins.
  public func range(now: Instant) throws(OperationError) -> Range<Instant>? {
    guard case .between(let start, let end) = self else { return nil }
    let (since, until) = (start?.instant(now: now) ?? .networkBegan, end?.instant(now: now) ?? now)
    guard since < until else { throw .emptyTime(since: since, until: until) }
    return since..<until
  }
}
