// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith goal`: a target number of followers.
struct GoalCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "goal",
    abstract: "Set a follower goal, or show its progress.",
    discussion: """
      The expected date is a forecast from the counts of the last weeks, with its 80 % interval, of up to a \
      year. There is no forecast if there are too few counts, or if forecasts of the past were too \
      inaccurate. kith stats also shows the progress.

        kith goal 10000
        kith goal
        kith goal --remove

      \(GoalRow.help)
      """)

  @Argument(help: ArgumentHelp("Number of followers, such as 10000 or 10k.", valueName: "followers"))
  var followers: String?

  @Option(
    help: ArgumentHelp("The goal of this account. Default: yours.", valueName: "account"), completion: .actor)
  var of: String?

  @Flag(help: "Remove the goal.")
  var remove = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { remove ? nil : GoalRow.self }

  mutating func validate() throws {
    if let followers {
      if remove { throw ValidationError("--remove takes no number; omit \(followers).") }
      guard Self.number(followers) != nil else {
        throw ValidationError(
          "A goal must be a whole number of 1 or more, such as 10000 or 10k, not \(followers).")
      }
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let actor = try await context.workspace.accounts(named: [of ?? "me"])[0]
    if remove { return try await removeGoal(of: actor, context) }
    let printer = try OperationPrinter<GoalRow>(context, verb: "shown")
    let goal = TrackGoal(of: actor, followers: followers.flatMap(Self.number))
    let outcome = try await goal.run(in: context.workspace, printer.reporter)
    if let failure = outcome.rows.interruption { throw failure }
    guard outcome.rows.count > 0 else {
      if !common.quiet { context.report(.noGoal(actor.name(in: outcome.view))) }
      return
    }
    try printer.finish()
    if let refusal = outcome.refusal, !common.quiet { context.report(.noForecast(refusal)) }
  }

  private func removeGoal(of actor: DID, _ context: CommandContext) async throws {
    let outcome = try await RemoveGoal(of: actor).run(in: context.workspace)
    let name = actor.name(in: outcome.view)
    if !common.quiet { context.report(outcome.wasSet ? .goalRemoved(name) : .noGoal(name)) }
  }

  private static func number(_ text: String) -> Int? {
    let factors: [Character: Int] = ["k": 1_000, "m": 1_000_000]
    let factor = text.last.flatMap { factors[Character($0.lowercased())] }
    guard let number = Int(factor == nil ? text[...] : text.dropLast()), number > 0 else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
    return overflow || product > 1_000_000_000 ? nil : product
  }
}
