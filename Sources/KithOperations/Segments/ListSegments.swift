// SPDX-License-Identifier: Apache-2.0

public import KithCore
import KithHistory

/// Lists segments with their last counts.
public struct ListSegments: KithOperation {
  public static let name = "listSegments"

  /// The account whose followers were counted; nil for no counts.
  public var actor: DID?

  public init(countsOf actor: DID? = nil) { self.actor = actor }

  public func run(in workspace: Workspace, _ report: Reporter<SegmentRow>) async throws -> RowsOutcome {
    let store = try workspace.history()
    var rows: [SegmentRow] = []
    for segment in try await store.segments() {
      var counts: [Sample<Int>] = []
      if let actor { counts = try await store.counts(of: segment.name, for: actor) }
      rows.append(SegmentRow(segment: segment, last: counts.last, before: counts.dropLast().last))
    }
    return await report.deliver(rows)
  }
}
