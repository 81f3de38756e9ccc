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

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await selection.filter(context)
    let excluded = try selection.exclusions(in: process)
    let account = try await context.workspace.account()
    let query = ListingQuery.notFollowedBack(by: .did(account.did))
    let options = try await paced(account, context)
    if options.cost.explain {
      var estimate = try await context.estimate(
        options, as: account, reading: ChangeIntent.follow(account.did).needs)
      for names in excluded { try await estimate.addNames(of: names) }
      try await estimate.add(query) { .follow($0) }
      if let predicate { estimate.add(predicate) }
      return try context.print(try await estimate.plan())
    }
    let found = try await context.workspace.accounts(
      of: AccountSelection([.listing(query)], excluding: excluded, where: predicate), as: account
    ) { [context] in context.report($0) }
    let candidates = try await FollowBackCandidates(
      among: found.members.compactMap { try? $0.account.get() }, of: account, in: context.workspace)
    if !common.quiet {
      context.report(.followBackScreened(candidates))
      if !candidates.accounts.isEmpty {
        context.report(.followBackPaced(perHour: options.points.perHour, perDay: options.points.perDay))
        context.report(.approvalNotAsked)
      }
    }
    if !candidates.accounts.isEmpty {
      var verb = FollowCommand.verb
      verb.imperative = "Follow back"
      var run = ChangeRun(context: context, options: options, verb: verb, choice: .found)
      // A single follower is asked about, too.
      run.concern = { _ in "" }
      try await run.finish(
        candidates.accounts.map { RequestedChange($0.name, .success(.follow($0.account))) }, as: account)
    }
    if let fault = candidates.fault { throw fault }
  }

  /// The options with the pace of the account where they name none.
  private func paced(_ account: AuthorizedAccount, _ context: CommandContext) async throws -> ChangeOptions {
    var options = options
    if options.points.perHour == nil, options.points.perDay == nil {
      let pace = try await FollowPace(of: account, in: context.workspace)
      (options.points.perHour, options.points.perDay) = (pace.perHour, pace.perDay)
    }
    return options
  }
}
