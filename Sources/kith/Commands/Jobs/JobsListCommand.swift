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
      of one account. --timed lists what ends by itself: mutes, follows and blocks with an end, earliest first.

        kith jobs --timed

      Fields: job, verb, account, state (preparing, proposed, waiting, running, interrupted, paused, done, cancelled), \
      total, done, skipped, failed, inDoubt, pending, cancelled, undone, pointsLeft, createdAt, endedAt, until, undoes, eta, \
      holder, note, handle, targets (the first two), digest and expiresAt (of a proposed change). With --timed: until, verb, did, handle, subject, scope, state, job, \
      account.
      """)

  @Flag(help: "List all jobs, also old ones that are done.") var all = false

  @Flag(help: "List what jobs made that ends by itself, instead of jobs.") var timed = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { timed ? TimedChangeRow.self : JobRow.self }

  func validate() throws {
    if timed, all { throw ValidationError("--timed lists changes, not jobs; omit --all.") }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    if timed { return try await context.print(ListTimedChanges(), verb: "read", orSay: .nothingTimed) }
    let outcome = try await JobRun(context: context).print(ListJobs(all: all, within: points.limit))
    if outcome.count == 0, !common.quiet { context.report(.noJobs) }
    if outcome.hidden > 0, !common.quiet { context.report(.jobsHidden(outcome.hidden)) }
  }
}
