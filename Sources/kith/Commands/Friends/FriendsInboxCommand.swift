// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

struct FriendsInboxCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "List the requests that you have received.",
    discussion: """
      No server lists what others have asked of you. With --index, the newest 500 that the index knows are ranked: \
      mutuals first, then accounts that you follow, then your followers; if it knows more, the servers of your newest \
      500 mutuals are asked as well. Without one, the servers of your newest followers and follows are asked, one call \
      each; --reach chooses that, too. Either way others may be missing. Only the requests of the page are read. \
      Accounts that you block or mute, accounts that your policy does not let ask (unless you name them), and what you \
      have accepted or declined, are left out and counted. Fields: did, handle, displayName, followers, follows, posts, \
      kind (friend or follow), state, relation, createdAt, expiresAt, age (in days), record, cid, answer.

        kith friends inbox --index https://constellation.example
        kith friends inbox carol.test dave.test
        kith friends inbox --reach 500 --where "followers > 10"
      """)

  @Argument(
    help: ArgumentHelp("Look only at the repositories of these accounts.", valueName: "account"),
    completion: .account)
  var names: [String] = []

  @Option(help: ArgumentHelp("The page, from 1; a page has at most 50 requests.", valueName: "n"))
  var page = 1

  @Option(
    help: ArgumentHelp(
      "Search the repositories of your newest N followers and follows. Default without an index: 200.",
      valueName: "n"))
  var reach: Int?

  @Option(
    help: ArgumentHelp(
      "Skip the newest N requests of the index, or followers and follows, to continue an earlier run.",
      valueName: "n"))
  var after: Int?

  @OptionGroup var filter: PredicateOptions

  @Flag(help: "Print only the number of requests on the page.") var count = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { count ? CountRow.self : FriendRequestRow.self }

  func validate() throws {
    try page.check(isIn: 1...1_000_000, for: "--page")
    try reach?.check(isIn: 1...100_000, for: "--reach")
    try after?.check(isIn: 0...10_000_000, for: "--after")
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await context.predicate(filter.predicates)
    let account = try await context.workspace.account()
    let inbox = ListReceivedRequests(
      of: account, from: try await source(context), page: page, where: predicate)
    let cost = CostReport(context)
    let printer = try OperationPrinter<FriendRequestRow>(context, verb: "read", printsRows: !count)
    let outcome = try await inbox.run(in: context.workspace, printer.reporter)
    let message: Message? =
      !common.quiet || outcome.unknown > 0
      ? .inboxListed(outcome) : nil
    try context.finish(
      printer, outcome, counting: count ? outcome.rows.count : nil, saying: message, cost)
  }

  private func source(_ context: CommandContext) async throws -> ListReceivedRequests.Source {
    if names.isEmpty {
      let after = after ?? 0
      return reach.map { .neighbours(after: after, most: $0) }
        ?? ListReceivedRequests.usualSource(in: context.workspace, after: after)
    }
    let named = TargetStream(origins: try await context.workspace.origins(naming: names))
    let found = try await context.workspace.accounts(of: AccountSelection([.names(named)])) { [context] in
      context.report($0)
    }
    return .accounts(try found.members.map { try $0.account.get() })
  }
}
