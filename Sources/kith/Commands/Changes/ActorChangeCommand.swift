// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithRelationships

/// A command that changes relationships of the signed-in account with other accounts.
protocol ActorChangeCommand: RowCommand {
  associatedtype Source: ChangeSource

  /// The accounts to change.
  var actors: ActorArguments { get }
  var sources: AccountSources { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }
  /// The time after which the change is undone; nil for a permanent change.
  var lifetime: DurationOption? { get }
  /// The graphs in which it is made; only for follows.
  var graphs: [FollowGraph] { get }

  /// The change of the accounts.
  func change(_ accounts: AccountChoice, _ context: CommandContext) -> Source
}

extension ActorChangeCommand {
  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  var lifetime: DurationOption? { nil }

  var graphs: [FollowGraph] { [.bluesky] }

  mutating func validate() throws { try checkActors() }

  /// Checks that there are accounts to change.
  func checkActors() throws {
    if actors.isEmpty, sources.isEmpty {
      throw ValidationError(
        "No accounts given: name some, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin."
      )
    }
    if !sources.knownFollowersOf.isEmpty, let graph = graphs.first(where: { $0 != .bluesky }) {
      throw ValidationError(
        "--known-followers-of is about Bluesky, and --graph \(graph.name) is not; pipe kith known-followers into the command if that is meant."
      )
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let accounts = try await AccountChoice(actors, sources, context)
    try await ChangeRun(context: context, options: options, lifetime: lifetime?.duration)
      .finish(change(accounts, context))
  }
}
