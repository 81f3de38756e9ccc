// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithClient
import KithCore
public import KithOperations
import KithRelationships

struct FriendsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List friends, newest first, then mutuals.",
    discussion: """
      Each friendship is checked in the repositories of both accounts; one that cannot be checked is counted, not \
      listed. Fields: did, handle, displayName, by (consent or mutuals), since, request, answer.

        kith friends
        kith friends alice.test --by consent
        kith friends --by mutuals --where "followers > 1000"
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(help: "Only friends by consent, or only mutuals.") var by: FriendRow.Basis?

  @OptionGroup var filter: PredicateOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("List at most this many.", valueName: "n"))
  var limit: Int?

  @Flag(help: "Print only the number.") var count = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { count ? CountRow.self : FriendRow.self }

  func validate() throws { try PredicateOptions.validate(limit: limit) }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await filter.predicate(context)
    let friends = ListFriends(
      of: try await context.workspace.actor(named: actor), by: by, where: predicate, limit: limit)
    let cost = CostReport(context)
    let printer = try OperationPrinter<FriendRow>(context, verb: "listed", printsRows: !count)
    let outcome = try await friends.run(in: context.workspace, printer.reporter)
    try printer.finish(isClosed: outcome.rows.isClosed)
    if count, outcome.rows.interruption == nil {
      try context.print(CountRow(count: outcome.friends + outcome.mutuals))
    }
    if !common.quiet || outcome.undecided > 0 { context.report(.friendsListed(outcome)) }
    if common.verbose { cost.report() }
    if let interruption = outcome.rows.interruption { throw interruption }
  }
}

extension FriendRow.Basis: ExpressibleByArgument {}

/// A filter on the accounts that a command lists.
struct PredicateOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only accounts that match, such as \"mutual and followers > 100\". May be repeated.",
      valueName: "predicate"), completion: .predicate)
  var predicates: [String] = []

  func predicate(_ context: CommandContext) async throws -> AccountPredicate? {
    try AccountPredicate(
      options: predicates, now: Datetime(at: context.time.instant),
      segments: try await context.workspace.segments(namedIn: predicates))
  }

  static func validate(limit: Int?) throws {
    if let limit, limit < 1 {
      throw ValidationError("--limit must be a whole number of 1 or more, not \(limit).")
    }
  }
}
