// SPDX-License-Identifier: Apache-2.0

/// What accounts have left to write, hour by hour and day by day.
struct RatePoints: Sendable {
  private let hour: Sandbox.RateLimit
  private let day: Sandbox.RateLimit
  private var windows: [Int: (hour: AnswerWindow, day: AnswerWindow)] = [:]

  init(_ writing: Sandbox.Writing) {
    hour = Sandbox.RateLimit(answers: writing.pointsPerHour, seconds: 3_600)
    day = Sandbox.RateLimit(answers: writing.pointsPerDay, seconds: 86_400)
  }

  /// Takes the points of a request, whatever becomes of it.
  ///
  /// - Parameter now: microseconds since 1970.
  /// - Returns: the fields of the window in which the least is left.
  /// - Throws: ``XRPCFault`` 429 where it is more than that; nothing is taken then.
  mutating func spend(
    _ points: Int, of account: Int, at now: Int64
  ) throws(XRPCFault) -> [SandboxAnswer.Field] {
    var windows = self.windows[account] ?? (AnswerWindow(hour), AnswerWindow(day))
    let inHour = windows.hour.arrived(at: now, weight: points)
    let inDay = windows.day.arrived(at: now, weight: points)
    if inDay.isRefused { throw day.refusal(inDay, at: now) }
    if inHour.isRefused { throw hour.refusal(inHour, at: now) }
    self.windows[account] = windows
    return inDay.remaining < inHour.remaining ? day.fields(inDay) : hour.fields(inHour)
  }
}
