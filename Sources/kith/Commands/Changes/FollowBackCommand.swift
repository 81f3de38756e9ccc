// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith follow-back`: follows followers.
struct FollowBackCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "follow-back",
    abstract: "Follow those of your followers that you do not follow yet.",
    discussion: """
      Shows the plan and asks. Followers with a block in either direction, that you mute, or that a moderation \
      service has labelled are left out; labels that accounts give themselves do not count. Many follows at once get \
      accounts suspended, so a job makes only a few per hour and per day, by the age of your account, unless --per-hour \
      or --per-day say otherwise; only follows count. It may run for days: kith jobs resume continues it. It does not \
      read whether accounts want to be asked before they are followed.

        kith follow-back --dry-run
        kith follow-back --where "followers > 50 and posts > 10"
        kith follow-back --per-day 20 --no-wait

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var selection: SelectionOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await selection.filter(context)
    let excluded = try selection.exclusions(in: process)
    try await ChangeRun(context: context, options: options)
      .finish(FollowBack(excluding: excluded, where: predicate))
  }
}
