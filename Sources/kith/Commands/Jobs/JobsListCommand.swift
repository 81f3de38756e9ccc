// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith jobs list`: all jobs of this user.
struct JobsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List jobs, the oldest first.",
    discussion: """
      Small changes that are done and can be seen from nothing but the journal are left out unless --all is \
      given. --account shows those of one account.

      Fields: job, verb, account, state (preparing, waiting, running, interrupted, paused, done, cancelled), \
      total, done, skipped, failed, inDoubt, pending, cancelled, undone, pointsLeft, createdAt, endedAt, until, undoes, eta, \
      holder, note.
      """)

  /// Up to so many items a job that is done is not worth a line.
  private static let handful = 5

  @Flag(help: "Also small ones that are done.") var all = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    var account: DID?
    if wiring.chosenAccount != nil { account = try await wiring.account().did }
    let manager = JobManager(journal: try wiring.jobStore(), time: wiring.time)
    let summaries = try await manager.summaries(of: account, within: points.limit)
    let shown = summaries.filter { all || $0.isWorthALine(handful: Self.handful) }
    try await common.printing(JobRow.self, environment: wiring.environment) { printer in
      for summary in shown { try printer.print(JobRow(summary: summary)) }
    }
    let hidden = summaries.count - shown.count
    if hidden > 0, !common.quiet { StandardError.say(.jobsHidden(hidden)) }
  }
}

extension JobSummary {
  fileprivate func isWorthALine(handful: Int) -> Bool {
    counts.total > handful || !job.state.isEnded || counts[.failed] > 0 || counts[.inDoubt] > 0
      || (job.until != nil && counts[.done] > 0)
  }
}
