// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

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
      error, mutedUntil, mutedOnly, graph, friend, requested, requestedBy (null unless --is or --requests asks for \
      them). \(PlanRow.help)

        kith check alice.test bob.test
        kith check alice.test --from names.txt --format csv
        kith check alice.test --followers-of bob.test --json
        kith check alice.test bob.test --is mutual && echo friends
        kith check me bob.test --graph bluesky --graph tangled
        kith check alice.test --retry-errors rows.ndjson > retried.ndjson
        kith check me --followers --compare-appview https://appview.example.com

      --compare-appview prints rows of its own, one for each difference: \
      \(AppViewDifferenceRow.fieldNames.joined(separator: ", ")) (whether the repository has the record).

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

  var printedRow: (any PrintableRow.Type)? {
    if question.explain { return PlanRow.self }
    return question.compareAppview != nil ? AppViewDifferenceRow.self : RelationshipRow.self
  }

  mutating func validate() throws {
    if names.count == 1, targets.isEmpty, sources.isEmpty {
      throw ValidationError(
        names[0] == "me"
          ? "No targets given: name some, or use --from FILE, a listing such as --followers, or - for stdin."
          : "No targets given. To check \(names[0]) against your own account: kith check me \(names[0].quotedForShell). Or name "
            + "targets, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin.")
    }
    if names.first == "-" {
      throw ValidationError("The first argument must be an account; - is for targets.")
    }
    try targets.validate(with: names.dropFirst(), sources)
    if question.compareAppview != nil, question.predicate != nil || question.graph.hasOthers {
      throw ValidationError("--compare-appview shows differences only; omit --is and --graph.")
    }
    if question.graph.hasOthers, question.predicate?.asksOnlyAboutFollows == false {
      throw ValidationError(
        "--graph: other apps have no blocks and mutes of their own; ask about following, followed-by or mutual with --is."
      )
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process, concurrency: question.concurrency)
    let other = try question.compareAppview.map(CommandContext.comparedAppView)
    let check = try await operation(context)
    let compared = other.map {
      CompareAppViews(of: check.actor, with: $0, about: .accounts(check.targets, check.listings))
    }
    if question.explain {
      let operation: any EstimatedOperation = if let compared { compared } else { check }
      var plan = try await operation.cost(in: context.workspace) { [context] in context.report($0) }
      for finding in try await sources.findings(context) {
        plan = try await finding.cost(in: context.workspace) { [context] in context.report($0) } + plan
        plan.addQuestions(about: finding.limit, needs: AccountPredicate(.following).needs)
      }
      return try context.print(plan)
    }
    if let compared { return try await context.printDifferences(of: compared) }
    let cost = CostReport(context)
    let printer = try OperationPrinter<RelationshipRow>(
      context, verb: "checked", isLive: check.targets.isSlow, printsRows: printsRows)
    let outcome = try await check.run(in: context.workspace, printer.reporter)
    try printer.finish(isClosed: outcome.rows.isClosed)
    report(outcome, of: check, cost, context)
    try context.end(outcome)
    if outcome.verdict.answer == .no { throw CommandFault(.no) }
  }

  private var printsRows: Bool { !(common.quiet && question.predicate != nil) }

  private func operation(_ context: CommandContext) async throws -> CheckRelationships {
    let people = question.explain ? [] : try await sources.found(context)
    var check = CheckRelationships(
      of: try await context.workspace.actor(named: names[0]),
      targets: TargetStream(
        origins: try targets.origins(
          with: try await context.workspace.origins(naming: Array(names.dropFirst())), in: context.process)
          + people)
    )
    check.companions = companions
    check.listings = try await sources.queries(context)
    check.graphs = question.graph.asked
    check.predicate = question.predicate
    check.quantifier = question.quantifier.combination
    check.verification = verification
    check.wantsRows = printsRows
    check.wantsNames = question.names
    check.skipsInvalid = targets.skipInvalid
    check.wantsRequests = question.requests
    check.failsFast = question.failFast
    return check
  }

  /// Says what the rows do not.
  private func report(
    _ outcome: CheckRelationships.Outcome, of check: CheckRelationships, _ cost: CostReport,
    _ context: CommandContext
  ) {
    let verdict = outcome.verdict
    if verdict.hidden.count > 0, !common.quiet {
      context.report(.hiddenTargets(verdict.hidden.count, verdict.hidden.first))
    }
    if verdict.count > 0
      || (outcome.rows.interruption == nil && (!common.quiet || ExitStatus(verdict.answer) != .success)),
      let complaint = Message(complainingAbout: verdict, ofRowsIn: check.targets.fileOfFailedRows)
    {
      context.report(complaint)
    }
    if !common.quiet, !outcome.rows.isClosed,
      let line = Message.summary(
        of: outcome.summary, cost.cost, elapsed: cost.elapsed,
        isWhole: !(outcome.rows.interruption is CancellationError))
    {
      context.report(line)
    }
    if common.verbose { cost.report(targets: verdict.count) }
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
}

extension Quantifier {
  fileprivate var combination: CheckRelationships.Quantifier {
    switch self {
    case .all: .all
    case .any: .any
    }
  }
}

extension Message {
  /// The message in addition to the rows of a check; nil if they say everything.
  ///
  /// - Parameter file: the file whose failed rows were repeated; nil for none.
  init?(complainingAbout verdict: CheckVerdict, ofRowsIn file: String? = nil) {
    if verdict.count == 0 {
      self = file.map { .noFailedRows(file: $0) } ?? .noInput("targets")
    } else if let complaint = Message(verdict.failures, among: verdict.count) {
      self = complaint
    } else if verdict.answer == .notFound, let missing = verdict.firstMissing {
      self = .notFound(missing.name, missing.reason)
    } else {
      return nil
    }
  }

  /// The message about failed lookups; nil if there are none.
  ///
  /// - Parameter rows: the total number of rows.
  init?(_ failures: FailureTally, among rows: Int) {
    guard failures.count > 0 else { return nil }
    let first = failures.first.map { Message(any: $0) }
    if rows == 1, let first {
      self = first
    } else {
      self = .lookupsFailed(failures.count, of: rows, first: first)
    }
  }
}
