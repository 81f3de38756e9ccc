// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithRelationships
import KithWriting

/// A command that changes relationships of the signed-in account with other accounts.
protocol ActorChangeCommand: RowCommand {
  /// The verb for rows, questions and jobs.
  static var verb: ChangeVerb { get }
  /// The accounts to change.
  var actors: ActorArguments { get }
  var sources: AccountSources { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }
  /// The time after which the change is undone; nil for a permanent change.
  var lifetime: Span? { get }

  /// The change for one account.
  func change(_ actor: DID) -> ChangeIntent

  /// Removes from a plan what the options exclude.
  func narrowed(_ planned: PlannedChange) -> PlannedChange
}

extension ActorChangeCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  var lifetime: Span? { nil }

  func narrowed(_ planned: PlannedChange) -> PlannedChange { planned }

  mutating func validate() throws {
    if actors.isEmpty, sources.isEmpty {
      throw ValidationError(
        "No accounts given: name some, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin."
      )
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let predicate = try AccountPredicate(
      options: actors.predicates, now: Datetime(microsecondsSinceEpoch: wiring.time.microsecondsSinceEpoch),
      segments: try await wiring.segments(namedIn: actors.predicates))
    let account = try await wiring.account()
    let named = try actors.input.origins(with: try await wiring.origins(naming: actors.names))
    let excluded = try actors.exclude.map { path throws(CommandFault) in
      TargetStream.Origin.file(try ByteSource(path: path), column: nil)
    }
    let listings = try await sources.requests(wiring)
    if options.cost.explain {
      var explanation = try await ChangeExplanation(
        wiring, options, as: account, reading: change(account.did).needs)
      if !named.isEmpty {
        explanation.add(
          try await common.roll(of: named, skippingInvalid: actors.input.skipInvalid), change)
      }
      if !excluded.isEmpty {
        explanation.addNames(of: try await common.roll(of: excluded, asExclusion: true))
      }
      for request in listings { try await explanation.add(request, change) }
      if let predicate { explanation.add(predicate) }
      return try await explanation.print()
    }
    var origins = named
    for request in listings {
      origins.append(.listing(try await wiring.accounts(of: request, matching: predicate, for: account)))
    }
    let roll = try await common.roll(
      of: origins, skippingInvalid: actors.input.skipInvalid,
      needingDates: predicate?.needs.date == true,
      orElse: predicate != nil && !listings.isEmpty ? .noneMatch : .noInput("accounts"), calling: account.name
    )
    var requests = try await wiring.requests(roll, of: account, change)
    var count = requests.count
    if !excluded.isEmpty {
      requests = try await wiring.without(
        try await common.roll(of: excluded, asExclusion: true), requests, as: account)
    }
    let kept = requests.count
    if let predicate { requests = try await wiring.narrowed(requests, to: predicate, of: account) }
    // What --where leaves out is not excluded.
    if !actors.predicate.isEmpty { count -= kept - requests.count }
    if !actors.exclude.isEmpty || actors.excludeFollowing, !common.quiet, requests.count < count {
      StandardError.say(.accountsExcluded(count - requests.count))
    }
    if requests.isEmpty, !roll.questions.isEmpty, !common.quiet { StandardError.say(.noneMatch) }
    let run = ChangeRun(
      wiring: wiring, options: options, verb: Self.verb, lifetime: lifetime?.duration)
    try await run.finish(requests, as: account, narrowing: narrowed)
  }
}
