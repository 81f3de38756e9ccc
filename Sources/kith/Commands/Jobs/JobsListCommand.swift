// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith jobs list`: lists all jobs of this user.
struct JobsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List jobs, oldest first.",
    discussion: """
      Lists the last 20 jobs, and older ones that are not done or had failures; --all lists all. --account lists those \
      of one account.

      Fields: job, verb, account, state (preparing, waiting, running, interrupted, paused, done, cancelled), \
      total, done, skipped, failed, inDoubt, pending, cancelled, undone, pointsLeft, createdAt, endedAt, until, undoes, eta, \
      holder, note, handle, targets (the first two).
      """)

  /// So many of the latest jobs are listed whatever became of them.
  private static let latest = 20

  @Flag(help: "List all jobs, also old ones that are done.") var all = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    var account: DID?
    if wiring.chosenAccount != nil { account = try await wiring.workspace.account().did }
    let store = try wiring.workspace.jobStoreToRead()
    try await wiring.cancelUnrecorded(in: store)
    let summaries = try await JobManager(journal: store, time: wiring.time)
      .summaries(of: account, within: points.limit)
    let shown = summaries.enumerated()
      .filter { all || $0.offset >= summaries.count - Self.latest || $0.element.needsAttention }.map(
        \.element)
    let rows = try await wiring.rows(shown, in: store)
    try await common.printing(JobRow.self, environment: wiring.environment) { printer in
      for row in rows { try printer.print(row) }
    }
    let hidden = summaries.count - shown.count
    if summaries.isEmpty, !common.quiet { StandardError.say(.noJobs) }
    if hidden > 0, !common.quiet { StandardError.say(.jobsHidden(hidden)) }
  }
}

extension JobSummary {
  fileprivate var needsAttention: Bool {
    !job.state.isEnded || counts[.failed] > 0 || counts[.inDoubt] > 0
      || (job.until != nil && counts[.done] > 0)
  }
}
