// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The points that accounts have left for writes, per hour and per day.
struct RatePoints: Sendable {
  private let hour: SandboxRateLimit
  private let day: SandboxRateLimit
  private var windows: [Int: (hour: RateLimitWindow, day: RateLimitWindow)] = [:]

  init(_ writing: SandboxWriting) {
    hour = SandboxRateLimit(answers: writing.pointsPerHour, seconds: 3_600)
    day = SandboxRateLimit(answers: writing.pointsPerDay, seconds: 86_400)
  }

  /// Charges the points of a request, whether it succeeds or not.
  ///
  /// - Returns: the header fields of the window with fewer points left.
  /// - Throws: ``XRPCFault`` 429 if there are not enough points; then nothing is charged.
  mutating func spend(
    _ points: Int, of account: Int, at now: Instant
  ) throws(XRPCFault) -> [HeaderField] {
    var windows = self.windows[account] ?? (RateLimitWindow(hour), RateLimitWindow(day))
    let inHour = windows.hour.arrived(at: now, weight: points)
    let inDay = windows.day.arrived(at: now, weight: points)
    if inDay.isRefused { throw day.refusal(inDay, at: now) }
    if inHour.isRefused { throw hour.refusal(inHour, at: now) }
    self.windows[account] = windows
    return inDay.remaining < inHour.remaining ? day.fields(inDay) : hour.fields(inHour)
  }
}
