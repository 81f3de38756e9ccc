// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith blocked-by`: lists who blocks an account, among given accounts or all that an index knows.
struct BlockedByCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "blocked-by",
    abstract: "List the accounts that block an account.",
    discussion: """
      No AppView lists all blockers of an account; it only answers for individual accounts. So name the \
      accounts to check: as further arguments, from files, or by listings. Or use --index with a backlink \
      index, which has read the records of the network and lists all blocks that it has seen; they may not \
      be all. Blocks by lists count.

      For checked accounts, only a direct block has a record and a date; with an index, also the record that \
      blocks a list. Dates come from record keys, which the author of the record sets.

        kith blocked-by me --followers-of me --follows-of me
        kith blocked-by alice.test --from names.txt --format csv
        kith blocked-by me --index https://constellation.example

      \(AccountViewRow.help)
      """)

  @Argument(
    help: ArgumentHelp(
      "The account, or me; then accounts to check; - reads them from stdin.", valueName: "account"),
    completion: .actor)
  var actors: [String]

  @OptionGroup(title: "Accounts") var input: InputOptions
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  /// Whether accounts to check are named.
  private var namesSome: Bool { actors.count > 1 || !input.files.isEmpty || !sources.isEmpty }

  mutating func validate() throws {
    if options.cursor != nil { throw ValidationError("--cursor is not supported by blocked-by.") }
    try input.validate(with: actors.dropFirst())
  }

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    if !namesSome, context.index == nil { throw CommandFault(.usage, .blockersNeedIndex(actors[0])) }
    let actor = try await context.workspace.actor(named: actors[0])
    if !namesSome || options.explain { return [ListingQuery(.blockers(of: actor))] }
    let accounts = try await candidates(context).accounts(in: context.workspace) { [context] in
      context.report($0)
    }
    if accounts.isEmpty, !common.quiet { context.report(.noInput("accounts")) }
    return [.blockers(of: actor, among: accounts)]
  }

  private func candidates(_ context: CommandContext) async throws -> BlockerCandidates {
    let people = options.explain ? [] : try await sources.found(context)
    return BlockerCandidates(
      TargetStream(
        origins: try input.origins(
          with: try await context.workspace.origins(naming: actors.dropFirst()), in: context.process) + people
      ),
      listings: try await sources.queries(context), skippingInvalid: input.skipInvalid)
  }

  /// The cost for the named accounts and the counts of listings; nil if the index lists the accounts.
  func plan(_ context: CommandContext) async throws -> CostPlan? {
    if !namesSome { return nil }
    let predicate = try options.predicate(
      narrowing: AccountPredicate(.blockedBy), now: Datetime(at: context.time.instant),
      segments: try await context.workspace.segments(namedIn: options.predicate))
    var plan = CostPlan()
    for finding in try await sources.findings(context) {
      plan = plan + (try await finding.cost(in: context.workspace) { [context] in context.report($0) })
      plan.addQuestions(about: finding.limit, needs: AccountPredicate(.blockedBy).needs)
    }
    return plan
      + (try await candidates(context).cost(
        of: try await context.workspace.actor(named: actors[0]),
        needs: (predicate?.needs ?? AccountPredicate.Needs()).with(options.details.union(.names)),
        in: context.workspace
      ) { [context] in context.report($0) })
  }
}
