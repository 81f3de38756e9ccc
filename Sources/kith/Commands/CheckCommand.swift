// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ArgumentParser
import Relationships

/// `kith check`: what is between an actor and others.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Show what is between an actor and one or many others.",
    discussion: """
      The first argument is the actor, all others are targets; further targets come from files, stdin and \
      listings. Each target is one row, in the order asked: actor, target, input, state (known, self, \
      notFound, error), following, followedBy, blocking, blockedBy, blockingByList, blockedByList (AT-URI or \
      null), mutual, blocked, muted, source, checkedAt, error.

        kith check alice.test bob.test
        kith check alice.test --from names.txt --format csv
        kith check alice.test --followers-of bob.test --json
        kith check alice.test bob.test --is mutual && echo friends
      """)

  @Argument(help: ArgumentHelp("The actor, then targets; - reads targets from stdin.", valueName: "actor"))
  var names: [String]

  @OptionGroup(title: "Targets") var targets: TargetOptions

  @Option(
    name: .customLong("is"),
    help: ArgumentHelp(
      "Answer by the exit code, 0 yes and 1 no.",
      valueName: "relation"))
  var predicate: Predicate?

  @Flag var quantifier = Quantifier.all

  @Flag(
    help: "Tell accounts that do not exist from those without a relationship, at one call more for every 25.")
  var verify = false

  @Option(help: ArgumentHelp("Calls under way at once, 1 to 64.", valueName: "n"))
  var concurrency = 8

  @Flag(help: "Print what asking would cost, as data, and ask nothing.")
  var explain = false

  @OptionGroup(title: "Common options") var common: CommonOptions

  mutating func validate() throws {
    if names.count == 1, targets.isEmpty {
      throw ValidationError(
        "Whom is \(names[0]) to be checked against? Add targets, --from FILE, or - for stdin.")
    }
    if quantifier == .any, predicate == nil {
      throw ValidationError("--any goes with --is RELATION.")
    }
    if !(1...64).contains(concurrency) {
      throw ValidationError("--concurrency takes a whole number from 1 to 64, not \(concurrency).")
    }
    let stdins = names.dropFirst().count { $0 == "-" } + targets.files.count { $0 == "-" }
    if stdins > 1 { throw ValidationError("stdin (-) can be read once only.") }
    if names.first == "-" { throw ValidationError("The first argument is the actor; - stands for targets.") }
  }

  mutating func run() async throws {
    let environment = ProcessEnvironment.current
    let wiring = try Wiring(common, environment: environment)
    let actorInput = try ActorInput(parsing: names[0])
    let stream = TargetStream(origins: try origins(wiring))
    if explain {
      try await printPlan(actor: actorInput, stream)
      return
    }
    let run = CheckRun(wiring: wiring, common: common, environment: environment)
    let verdict = try await run.print(
      service: wiring.relationships(.init(concurrency: concurrency, verifiesExistence: verify)),
      actor: actorInput.identifier, targets: stream,
      verdict: CheckVerdict(predicate: predicate, quantifier: quantifier),
      printsRows: !(common.quiet && predicate != nil))
    if verdict != .success { throw CommandFault(verdict) }
  }

  private func origins(_ wiring: Wiring) throws -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for name in names.dropFirst() {
      origins.append(name == "-" ? .file(try ByteSource(path: "-"), column: nil) : .argument(name))
    }
    for path in targets.files { origins.append(.file(try ByteSource(path: path), column: targets.column)) }
    for kind in try listings() { origins.append(.listing(ActorListing(kind, client: wiring.appview))) }
    return origins
  }

  private func listings() throws -> [ActorListing.Kind] {
    try targets.followsOf.map { .follows(of: try ActorInput(parsing: $0).identifier) }
      + targets.followersOf.map { .followers(of: try ActorInput(parsing: $0).identifier) }
      + targets.list.map { text in
        do throws(SyntaxError) {
          return .members(of: try ATURI(parsing: text))
        } catch {
          throw CommandFault(
            .badInput, "--list \(text): \(error.reason); a list is named as at://DID/app.bsky.graph.list/KEY")
        }
      }
  }

  private func printPlan(actor: ActorInput, _ stream: TargetStream) async throws {
    var question = CheckPlan.Question()
    question.listings = try listings()
    question.verifiesExistence = verify
    if case .handle = actor.identifier { question.actorIsHandle = true }
    var seen: Set<RelationshipQuestion.Target> = []
    let named = TargetStream(origins: stream.origins.filter { if case .listing = $0 { false } else { true } })
    for try await target in named where seen.insert(target.target).inserted {
      switch target.target {
      case .did: question.dids += 1
      case .handle: question.handles += 1
      case .unreadable(let error): StandardError.say("\(error)")
      }
    }
    let plan = CheckPlan(question, concurrency: concurrency)
    var printer = RowPrinter<PlanRow>(
      format: common.outputFormat, palette: common.palette(ProcessEnvironment.current))
    for row in PlanRow.rows(plan) { try printer.print(row) }
    try printer.finish()
  }
}
