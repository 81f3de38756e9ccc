// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting

/// A command that changes how the signed-in account stands with actors.
protocol ActorChangeCommand: AsyncParsableCommand {
  /// What it does.
  static var verb: ChangeVerb { get }
  /// To whom.
  var actors: ActorArguments { get }
  var options: ChangeOptions { get }
  var common: CommonOptions { get }
  /// After how long it is taken back; nil where it is to last.
  var lifetime: Span? { get }

  /// What is wanted of one of the actors.
  func change(_ actor: DID) -> ChangeIntent

  /// A plan without what the options rule out.
  func narrowed(_ planned: PlannedChange) -> PlannedChange
}

extension ActorChangeCommand {
  var lifetime: Span? { nil }

  func narrowed(_ planned: PlannedChange) -> PlannedChange { planned }

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let roll = try await common.roll(of: try actors.input.origins(with: actors.names))
    let account = try await wiring.account()
    if options.cost.explain {
      var explanation = try await ChangeExplanation(
        wiring, options, as: account, reading: change(account.did).needs)
      explanation.add(roll, change)
      return try await explanation.print()
    }
    let requests = try await wiring.requests(roll, of: account, change)
    let run = ChangeRun(
      wiring: wiring, options: options, verb: Self.verb, lifetime: lifetime?.duration)
    try await run.finish(requests, as: account, narrowing: narrowed)
  }
}
