// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

struct FriendsSentCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "sent",
    abstract: "List the requests that an account has sent, and what became of them.",
    discussion: """
      State: open, accepted, expired, void (one of you blocks the other) or null (their server does not tell). \
      A declined request is open for you, as others cannot see it. Fields: as of kith friends inbox.

        kith friends sent
        kith friends sent --where "requested"
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup var filter: PredicateOptions
  @OptionGroup var rows: LimitOptions

  @Flag(help: "Print only the number.") var count = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { count ? CountRow.self : FriendRequestRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await context.predicate(filter.predicates)
    let sent = ListSentRequests(
      by: try await context.workspace.actor(named: actor), where: predicate, limit: rows.limit)
    let cost = CostReport(context)
    let printer = try OperationPrinter<FriendRequestRow>(context, verb: "read", printsRows: !count)
    let outcome = try await sent.run(in: context.workspace, printer.reporter)
    var message: Message? = outcome.rows.count == 0 && !common.quiet ? .noneSent : nil
    if outcome.unreadable > 0 { message = .requestsUnreadable(outcome.unreadable) }
    try context.finish(
      printer, outcome, counting: count ? outcome.rows.count : nil, saying: message, cost)
  }
}
