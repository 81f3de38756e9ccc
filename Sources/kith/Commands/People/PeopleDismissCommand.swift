// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith people dismiss`.
struct PeopleDismissCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss",
    abstract: "Do not suggest accounts again.",
    discussion: """
      Kept here, for the signed-in account; no server is told. Suggestions and recommendations leave these accounts \
      out; a search finds them.

        kith people dismiss carol.test dave.test
        kith people dismiss --take-back carol.test
      """)

  @Argument(help: ArgumentHelp("The accounts.", valueName: "account"), completion: .actor)
  var actors: [String]

  @Flag(help: "Suggest them again.")
  var takeBack = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let accounts = try await context.workspace.accounts(named: actors)
    let outcome = try await DismissPeople(accounts, takingBack: takeBack).run(in: context.workspace)
    if !common.quiet { context.report(.peopleDismissed(outcome)) }
  }
}

/// `kith people dismissed`.
struct PeopleDismissedCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismissed",
    abstract: "List the accounts that are not suggested again.",
    discussion: "The fields are those of listings; since is when it was dismissed.")

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { AccountViewRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await context.print(ListDismissedPeople(), verb: "listed", orSay: .noneDismissed)
  }
}
