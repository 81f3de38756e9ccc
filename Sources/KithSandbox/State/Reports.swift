// SPDX-License-Identifier: Apache-2.0

internal import KithLexicons

/// The reports sent to the moderators.
struct Reports: Sendable {
  typealias Report = Com.Atproto.Moderation.CreateReport.Output

  /// With more reports than this, the oldest are dropped; numbering continues.
  private static let mostKept = 10_000

  private(set) var count = 0
  private(set) var kept: [Report] = []

  /// Stores a report under the next number.
  mutating func add(_ make: (_ id: Int) -> Report) -> Report {
    count += 1
    let report = make(count)
    kept.append(report)
    if kept.count > Self.mostKept { kept.removeFirst() }
    return report
  }
}
