// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith jobs prune`: removes old jobs.
struct JobsPruneCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove jobs that ended long ago.",
    discussion: "A removed job can no longer be undone. Timed changes that have not expired are kept."
  )

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Minimum time since they ended.", discussion: "Default: 30d.", valueName: "span"),
    transform: DurationOption.init(parsing:))
  var olderThan: DurationOption?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  private static let standard = Duration.seconds(30 * 86_400)

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let age = olderThan?.duration ?? Self.standard
    let moment = context.time.instant - age
    let gone = try await context.workspace.jobStore().prune(endedBefore: moment)
    if !common.quiet { context.report(.jobsPruned(gone.count)) }
  }
}
