// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithRelationships

/// `kith people`: finds accounts.
struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "people",
    abstract: "Find people: search, suggestions, and those who are close in the graph.",
    discussion: """
      Accounts that you block or that block you never appear. Rows say how you and each account are related, how \
      many of those you follow follow it, its labels with their sources, and whether the AppView shows it as \
      verified. Everything that these verbs find is also a source of accounts for follow, lists add and check: \
      --search TEXT, --similar-to ACCOUNT, --people WHICH.

        kith people search "marine biology"
        kith people recommend
        kith follow --people recommend --first 10
        kith people dismiss carol.test

      \(PersonRow.help)
      """,
    subcommands: [
      PeopleSearchCommand.self, PeopleSuggestedCommand.self, PeoplePopularCommand.self,
      PeopleNearbyCommand.self, PeopleRecentCommand.self, PeopleRecommendCommand.self,
      PeopleMatchCommand.self,
      PeopleDismissCommand.self, PeopleDismissedCommand.self,
    ])
}

/// The options of commands that find people.
struct PeopleOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List at most this many, up to 1000.", valueName: "n"))
  var limit = FindPeople.usualLimit

  @OptionGroup var filter: PredicateOptions
  @Flag(help: .explain) var explain = false

  mutating func validate() throws {
    try limit.check(isIn: 1...1_000, for: "--limit")
  }
}

/// How much of the graph is looked at.
struct ReachOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Look at the newest N follows, one call each.", valueName: "n"))
  var reach = FindPeople.usualReach

  mutating func validate() throws {
    try reach.check(isIn: 1...100_000, for: "--reach")
  }
}

/// A command that finds people.
protocol FindingCommand: RowCommand {
  var options: PeopleOptions { get }
  var network: NetworkOptions { get }

  /// What is asked for, before the filter.
  func finding(_ context: CommandContext) async throws -> FindPeople
}

extension FindingCommand {
  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : PersonRow.self }

  func run(in process: RunContext) async throws { try await runFinding(in: process) }

  /// Finds people and prints them.
  func runFinding(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await context.predicate(options.filter.predicates)
    var finding = try await finding(context)
    (finding.limit, finding.predicate) = (options.limit, predicate)
    if options.explain {
      let plan = try await finding.cost(in: context.workspace) { [context] in context.report($0) }
      return try context.print(plan)
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<PersonRow>(context, verb: "looked at")
    let outcome = try await finding.run(in: context.workspace, printer.reporter)
    try context.finish(
      printer, outcome, saying: common.quiet ? nil : .peopleFound(outcome), cost)
  }
}
