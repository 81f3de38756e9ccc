// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ArgumentParser
import Relationships

/// `kith check`: what is between an actor and others.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    _superCommandName: Kith.name,
    abstract: "Show what is between an actor and one or many others.",
    discussion: """
      The first argument is the actor, all others are targets; further targets come from files, stdin and \
      listings. Each target is one row, in the order asked: actor, target, input, state (known, self, \
      notFound, error), following, followedBy, blocking, blockedBy, blockingByList, blockedByList (AT-URI or \
      null), mutual, blocked, muted, source, checkedAt, error. With --explain: step, calls, targets, bytes, \
      seconds.

        kith check alice.test bob.test
        kith check alice.test --from names.txt --format csv
        kith check alice.test --followers-of bob.test --json
        kith check alice.test bob.test --is mutual && echo friends
        kith check alice.test --retry-errors rows.ndjson > retried.ndjson

      Of more than one target a line on stderr says what they came to (not with -q).
      """)

  @Argument(help: ArgumentHelp("The actor, then targets; - reads targets from stdin.", valueName: "actor"))
  var names: [String]

  @OptionGroup(title: "Targets") var targets: TargetOptions

  @OptionGroup(title: "Question") var question: QuestionOptions

  @OptionGroup(title: "Common options") var common: CommonOptions

  mutating func validate() throws {
    if names.count == 1, targets.isEmpty {
      throw ValidationError(
        "Whom is \(names[0]) to be checked against? Add targets, --from FILE, or - for stdin.")
    }
    if names.first == "-" { throw ValidationError("The first argument is the actor; - stands for targets.") }
    try targets.validate(with: names.dropFirst())
  }

  mutating func run() async throws {
    let environment = ProcessEnvironment.current
    let wiring = try Wiring(common, environment: environment, concurrency: question.concurrency)
    let actor = try ActorInput(parsing: names[0])
    let named = TargetStream(origins: try targets.origins(with: names.dropFirst()))
    let listings = try targets.listings()
    if question.explain {
      try await printPlan(actor: actor, named, listings, environment)
      return
    }
    let listed = listings.map { TargetStream.Origin.listing(ActorListing($0, client: wiring.appview)) }
    let run = CheckRun(
      wiring: wiring,
      printsRows: !(common.quiet && question.predicate != nil), failsFast: question.failFast)
    let verdict = try await run.print(
      service: wiring.relationships(
        .init(concurrency: question.concurrency, verifiesExistence: question.verify)),
      actor: actor.identifier, companions: companions, targets: TargetStream(origins: named.origins + listed),
      verdict: CheckVerdict(predicate: question.predicate, quantifier: question.quantifier))
    if verdict != .success { throw CommandFault(verdict) }
  }

  /// The handles among the arguments that are resolved together with the actor's.
  private var companions: [Handle] {
    var handles: [Handle] = []
    for name in names.dropFirst() {
      guard case .handle(let handle) = RelationshipQuestion(typed: name).target, !handles.contains(handle)
      else { continue }
      handles.append(handle)
      if handles.count == HandleResolver.batchSize - 1 { break }
    }
    return handles
  }

  private func printPlan(
    actor: ActorInput, _ named: TargetStream, _ listings: [ActorListing.Kind], _ environment: [String: String]
  ) async throws {
    var plan = CheckPlan.Question()
    plan.listings = listings
    plan.verifiesExistence = question.verify
    if case .handle = actor.identifier {
      plan.actorIsHandle = true
      plan.companions = companions.count
    }
    var seen: Set<RelationshipQuestion.Target> = []
    let stream = if case .did(let did) = actor.identifier { named.asked(about: did) } else { named }
    for try await questions in stream {
      for question in questions where seen.insert(question.target).inserted {
        switch question.target {
        case .did: plan.dids += 1
        case .handle: plan.handles += 1
        case .unreadable(let error): StandardError.say(Message(error))
        }
      }
    }
    var printer = common.printer(of: PlanRow.self, environment: environment)
    let reckoned = CheckPlan(plan, concurrency: question.concurrency)
    for row in PlanRow.rows(reckoned) { try printer.print(row) }
    try printer.finish()
    if !common.quiet {
      StandardError.say(.planAssumptions(reckoned, concurrency: question.concurrency))
    }
  }
}
