// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithInsights

/// A goal, and its progress.
public struct GoalRow: OperationRow {
  public let account: DID
  public let handle: Handle?
  /// When it was set.
  public let since: Instant
  public let progress: GoalProgress

  /// Fields: did, handle, goal, followers (now), start (when it was set), since, share (0 to 1), reached, expected,
  /// earliest, latest (when it will be reached; null if the forecast does not reach it), outlook (which of these is
  /// known, or why there is no forecast).
  public static let fieldNames = [
    "did", "handle", "goal", "followers", "start", "since", "share", "reached", "expected", "earliest",
    "latest", "outlook",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(account)
    fields.text(handle?.description)
    fields.number(progress.goal)
    fields.number(progress.value)
    fields.number(progress.start)
    fields.text(Datetime(at: since).description)
    fields.number(digits: "\(progress.share)")
    fields.flag(progress.isReached)
    fields.text(text(progress.expected))
    fields.text(text(progress.earliest))
    fields.text(text(progress.latest))
    fields.text(progress.outlook.name)
  }

  private func text(_ moment: Instant?) -> String? { moment.map { Datetime(at: $0).description } }
}
