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

  @Flag(help: "List all jobs, also old ones that are done.") var all = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let outcome = try await JobRun(context: context).print(ListJobs(all: all, within: points.limit))
    if outcome.count == 0, !common.quiet { context.report(.noJobs) }
    if outcome.hidden > 0, !common.quiet { context.report(.jobsHidden(outcome.hidden)) }
  }
}
