// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithRelationships
import KithWriting

/// `kith check`: shows the relationships between an account and others.
struct CheckCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "check",
    abstract: "Show how an account is related to others: follows, blocks, lists.",
    discussion: """
      The first argument is the account, all others are targets; more targets can come from files, stdin and \
      listings. Prints one row per target, in the given order: actor, target, input, handle, displayName, \
      state (known, self, notFound, error), following, followedBy, blocking, blockedBy, blockingByList, \
      blockedByList (AT-URI or null), mutual, blocked, muted (if the account is you), source, checkedAt, \
      error. With --explain: step, collection, calls, targets, bytes, points, seconds, estimate.

        kith check alice.test bob.test
        kith check alice.test --from names.txt --format csv
        kith check alice.test --followers-of bob.test --json
        kith check alice.test bob.test --is mutual && echo friends
        kith check alice.test --retry-errors rows.ndjson > retried.ndjson

      With more than one target, a summary is printed to stderr (not with -q).
      """)

  @Argument(
    help: ArgumentHelp("The account, or me; then targets; - reads targets from stdin.", valueName: "account"),
    completion: .actor)
  var names: [String]

  @OptionGroup(title: "Targets") var targets: TargetOptions
  @OptionGroup(title: "Targets") var sources: AccountSources

  @OptionGroup(title: "Question") var question: QuestionOptions

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { question.cost.explain ? PlanRow.self : RelationshipRow.self }

  mutating func validate() throws {
    if names.count == 1, targets.isEmpty, sources.isEmpty {
      throw ValidationError(
        names[0] == "me"
          ? "No targets given: name some, or use --from FILE, a listing such as --followers, or - for stdin."
          : "No targets given. To check \(names[0]) against your own account: kith check me \(names[0].quotedForShell). Else name "
            + "targets, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin.")
    }
    if names.first == "-" {
      throw ValidationError("The first argument must be an account; - is for targets.")
    }
    try targets.validate(with: names.dropFirst(), sources)
  }

  mutating func run() async throws {
    let environment = RunContext.current.environment
    let wiring = try Wiring(common, network, environment: environment, concurrency: question.concurrency)
    let actor = try await wiring.actor(named: names[0])
    let skipped = SkippedNames()
    let named = TargetStream(
      origins: try targets.origins(with: try await wiring.origins(naming: names.dropFirst())))
    let listings = try await sources.queries(wiring)
    let viewer = try await viewer(actor, wiring)
    if question.cost.explain {
      try await printPlan(actor: actor, named, listings, wiring, tellsMutes: viewer != nil)
      return
    }
    let run = CheckRun(
      wiring: wiring, printsRows: printsRows, failsFast: question.failFast,
      wantsNames: question.names)
    let verdict = try await run.print(
      service: wiring.relationships(
        .init(
          concurrency: question.concurrency, verification: verification,
          // Only stdin can be slow enough for a batch to wait; --explain assumes the same.
          linger: named.readsStdin ? .seconds(1) : .zero), mutesOf: viewer
      ) { StandardError.say(.mutesNotLearned($0)) },
      actor: actor, companions: companions,
      named: named.skippingInvalid(targets.input.skipInvalid, to: skipped), listings: listings,
      verdict: CheckVerdict(predicate: question.predicate, quantifier: question.quantifier))
    skipped.finish()
    if verdict != .success { throw CommandFault(verdict) }
  }

  private var printsRows: Bool { !(common.quiet && question.predicate != nil) }

  /// The signed-in account, if it is the actor and its mutes are needed.
  ///
  /// - Throws: ``CommandFault`` if the mutes of another account are needed.
  private func viewer(_ actor: ATIdentifier, _ wiring: Wiring) async throws -> AuthorizedAccount? {
    let asksMutes = question.predicate?.needs.mutes.isEmpty == false
    guard printsRows || asksMutes else { return nil }
    do {
      if let account = try await wiring.accountIfAny(), account.isNamed(actor) { return account }
    } catch  where !asksMutes && !(error is CancellationError) {
      // Everything else is public and does not depend on the sessions.
      return nil
    }
    if asksMutes { throw CommandFault(.notAllowed, .mutesOfAnother(actor)) }
    return nil
  }

  /// The handles among the arguments: as many as fit are resolved in the actor's call.
  private var companions: [Handle] {
    names.dropFirst().compactMap { name in
      if case .handle(let handle) = RelationshipQuestion(typed: name).target { handle } else { nil }
    }
  }

  /// The accounts that decide the exit code have to exist: the actor, and a single target. A handle that
  /// resolves proves that; a DID does not.
  private var verification: FollowRelationshipService.Verification {
    if question.verify { return .all }
    let deciding = targets.isEmpty && sources.isEmpty && names.count == 2 ? names : [names[0]]
    let accounts = deciding.compactMap { name in
      if case .did(let did) = RelationshipQuestion(typed: name).target { did } else { nil }
    }
    return accounts.isEmpty ? .off : .only(Set(accounts))
  }

  private func printPlan(
    actor: ATIdentifier, _ named: TargetStream, _ listings: [ListingQuery], _ wiring: Wiring,
    tellsMutes: Bool
  ) async throws {
    var cost = CheckCost(
      actor: actor, companions: companions, verification: verification,
      wantsNames: question.names, tellsMutes: tellsMutes, predicate: question.predicate)
    var invalid = InvalidNames()
    let stream = if case .did(let did) = actor { named.asked(about: did) } else { named }
    for try await questions in stream {
      for question in questions {
        if case .unreadable(let error) = question.target {
          invalid.add(Message(error)) { StandardError.say($0) }
        }
        cost.add(question.target)
      }
    }
    if let rest = invalid.rest { StandardError.say(rest) }
    let counts = try await NetworkCounts(client: wiring.appview).entries(of: listings.map(\.listing))
    for (query, count) in zip(listings, counts) {
      cost.add(query.listing, count: count, needs: query.predicate?.needs ?? AccountPredicate.Needs())
    }
    if let changes = wiring.recentChanges() { cost.addOwnChanges((try? await changes.count()) ?? 0) }
    let plan = cost.plan(isSlow: named.readsStdin, concurrency: question.concurrency)
    try common.print(plan, concurrency: question.concurrency, environment: wiring.environment)
  }
}
