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
  @OptionGroup var rows: LimitOptions

  @Flag(help: "Print only the number.") var count = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { count ? CountRow.self : FriendRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await context.predicate(filter.predicates)
    let friends = ListFriends(
      of: try await context.workspace.actor(named: actor), by: by, where: predicate, limit: rows.limit)
    let cost = CostReport(context)
    let printer = try OperationPrinter<FriendRow>(context, verb: "listed", printsRows: !count)
    let outcome = try await friends.run(in: context.workspace, printer.reporter)
    let message: Message? =
      !common.quiet || outcome.undecided > 0 ? .friendsListed(outcome) : nil
    try context.finish(
      printer, outcome, counting: count ? outcome.friends + outcome.mutuals : nil, saying: message, cost)
  }
}

extension FriendRow.Basis: ExpressibleByArgument {}
