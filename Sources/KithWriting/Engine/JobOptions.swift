// SPDX-License-Identifier: Apache-2.0

/// How a job is run.
public struct JobOptions: Sendable, Hashable {
  /// The points that may be spent, also in later runs; nil for the job's own limit, or else the default.
  public var limit: WriteLimit?
  /// Whether to stop, with the time to resume at, when the budget is short or the server asks to slow down,
  /// instead of waiting.
  public var stopsWhenShort: Bool
  /// How long consecutive server failures are tolerated, counted from the first one.
  public var patience: Duration
  /// The longest wait that a server may ask for; a job that would have to wait longer stops. Nil for any.
  public var longestWait: Duration?
  /// Whether to ignore what the server reports about its write budget, because it is wrong: then only the points
  /// that were spent here count, up to the limit. A server that refuses a change is obeyed in any case.
  public var ignoresReports = false
  /// The most writes in one commit; reduced automatically for a server that accepts fewer.
  package let writesPerCommit: Int

  /// The patience of unattended runs: five minutes.
  package static let usualPatience = Duration.seconds(300)

  /// Creates options; by default, a run waits, keeps a fifth of the points free and tolerates failures for
  /// five minutes.
  public init(
    limit: WriteLimit? = nil, stopsWhenShort: Bool = false, patience: Duration = .seconds(300)
  ) {
    self.init(
      limit: limit, stopsWhenShort: stopsWhenShort, patience: patience,
      writesPerCommit: RecordWrite.mostPerCommit)
  }

  /// Creates options for a server that accepts fewer writes.
  ///
  /// - Parameter writesPerCommit: clamped to 1 through ``RecordWrite/mostPerCommit``.
  package init(
    limit: WriteLimit? = nil, stopsWhenShort: Bool = false, patience: Duration = usualPatience,
    writesPerCommit: Int
  ) {
    self.limit = limit
    self.stopsWhenShort = stopsWhenShort
    self.patience = patience
    self.writesPerCommit = min(max(writesPerCommit, 1), RecordWrite.mostPerCommit)
  }
}
