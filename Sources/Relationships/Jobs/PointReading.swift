// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient

/// What a server said about one of its windows: it counts what other apps spend too.
public struct PointReading: Sendable, Hashable {
  /// The window.
  public var window: PointWindow
  /// Points that it allows in a whole window; from 0 to ``PointAllowance/mostPoints``, whatever it said.
  public let limit: Int
  /// Points that were left when it said so; in the same bounds.
  public let remaining: Int
  /// When the window starts anew, in microseconds since 1970.
  public var resetsAt: Int64
  /// When it said so, in microseconds since 1970.
  public var readAt: Int64

  /// Puts a reading together; points beyond their bounds are moved to the nearest number within.
  public init(window: PointWindow, limit: Int, remaining: Int, resetsAt: Int64, readAt: Int64) {
    self.window = window
    self.limit = PointAllowance.clamped(limit)
    self.remaining = PointAllowance.clamped(remaining)
    self.resetsAt = resetsAt
    self.readAt = readAt
  }

  /// Takes what the header fields of an answer said; nil where they are not about points.
  ///
  /// Servers tell only the tightest of several limits, and one of those counts requests: which one it is shows in
  /// its policy, or else in its size.
  /// - Parameter now: when the answer came, in microseconds since 1970.
  public init?(_ rateLimit: RateLimit, at now: Int64) {
    guard let limit = rateLimit.limit, let remaining = rateLimit.remaining, let wait = rateLimit.untilReset
    else { return nil }
    let usual = PointAllowance()
    guard
      let window = PointWindow.allCases.first(where: { window in
        rateLimit.window.map { $0 == window.length } ?? (limit == usual[window])
      })
    else { return nil }
    self.init(
      window: window, limit: limit, remaining: min(remaining, limit),
      resetsAt: now + min(wait, window.length).inMilliseconds * 1_000, readAt: now)
  }
}
