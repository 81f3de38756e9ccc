// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith import`: creates the relationships in a file.
struct ImportCommand: RowCommand {
  /// The relationship to create, regardless of the kinds in the rows.
  enum Role: String, CaseIterable, ExpressibleByArgument, Sendable {
    case follow, block, mute

    fileprivate var kind: PortableRelationship.Kind {
      switch self {
      case .follow: .follow
      case .block: .block
      case .mute: .mute
      }
    }
  }

  static let configuration = CommandConfiguration(
    verb: "import",
    abstract: "Import follows, blocks, mutes and lists from files.",
    discussion: """
      Reads files written by kith export, of this or another account. Relationships that already exist cost \
      nothing, and nothing is removed. A list of another account is created again for you, with its members; \
      if you already have a list of the same name and purpose, it is used. Blocks and mutes of lists that are \
      not for moderation are refused without --allow-curation. For any other file (one name per \
      line, CSV with a column of accounts such as did, handle or profile URL, JSON or NDJSON), --as sets the \
      kind of relationship.

      Shows what would be created and asks for confirmation; the import is one job, which kith jobs undo \
      can undo. Rows that speak for you have a question of their own, which says what they do: friend requests, \
      acceptances, the policy and the texts of the profile. With --yes, or without a terminal, they are left out and \
      counted unless --only names their kind.

        kith import me.csv --dry-run
        kith import me.csv --account new.test
        kith import me.csv --yes --only profile friend-request friend-answer friend-policy
        kith import spammers.txt --as block
        kith import follows.json --as follow --only follow
        kith import follows.csv --graph tangled

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(
    name: "import", participle: "imported", isDestructive: true, noun: "row", confirmationThreshold: 1,
    namesEachIntent: true)

  @Argument(help: ArgumentHelp("Files; - is stdin.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Create this relationship, regardless of the kinds in the rows.", valueName: "follow|block|mute"))
  var role: Role?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Only rows of these kinds: \(Self.kinds.joined(separator: ", ")).",
      valueName: "kind"), completion: .list(Self.kinds))
  var only: [String] = []

  @Option(help: ArgumentHelp("The CSV column of the accounts.", valueName: "name"), completion: .column)
  var column: String?

  @Flag(help: "Skip rows that are not valid, with a warning, instead of failing.")
  var skipInvalid = false

  @Flag(help: "Also block and mute lists that are not moderation lists.") var allowCuration = false

  @OptionGroup(title: "Change") var graph: WrittenGraphOptions
  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  private static let kinds = PortableRelationship.Kind.allCases.map(\.rawValue) + ExportRow.notImported

  mutating func validate() throws {
    if files.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("stdin (-) can be read only once; omit the others.")
    }
    let kinds = Self.kinds
    if let unknown = only.first(where: { !kinds.contains($0) }) {
      throw ValidationError("--only \(unknown): unknown kind; use \(kinds.joined(separator: ", ")).")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let invalid = InvalidNames(skipInvalid ? .skipped : .fatal) { [context] in context.report($0) }
    var found = ImportedRelationships(
      role: role?.kind, in: graph.asked.graphs, only: Set(only), at: process.now, invalid: invalid)
    for file in files { try await found.read(try process.file(file), column: column) }
    // A yes to the whole file, given beforehand, is not a consent, nor a change of what the account says about itself.
    let isAsked = !options.yes && context.confirmation.isPossible
    if !options.cost.explain, options.yes || !(isAsked || options.dryRun) { found.leaveOutStatements() }
    try found.finish()
    if found.isEmpty {
      if !common.quiet { context.report(.noInput("rows")) }
      return try await context.printing(ChangeRow.self) { _ in }
    }
    let account = try await context.workspace.account()
    let transfer = ImportRelationships(
      found, to: account, allowingFollowed: moderation.allowMutuals, curation: allowCuration)
    if options.cost.explain { return try await explain(transfer, context) }
    var changes = try await transfer.changes(in: context.workspace) { context.report($0) }
    var run = ChangeRun(
      context: context, options: options, verb: Self.verb, choice: .named,
      preview: { [.importPreview(ImportPreview($0))] })
    if changes.haveStatements, options.dryRun, !common.quiet {
      context.report(.statementsAreApart(found.statements))
    } else if changes.haveStatements, isAsked, !options.dryRun {
      let agreed = try await askAboutStatements(in: &changes, transfer, context)
      run = run.besides(agreed)
    }
    try await run.finish(changes.requests, as: account, narrowing: changes.narrowing)
  }

  /// Asks about the rows that speak for the account by themselves, and leaves them out after a no.
  ///
  /// - Returns: how many of them change something.
  /// - Throws: ``CommandFault`` `no` if there is nothing else.
  private func askAboutStatements(
    in changes: inout ImportRelationships.Changes, _ transfer: ImportRelationships, _ context: CommandContext
  ) async throws -> Int {
    let statements = try await transfer.statements(in: changes, of: context.workspace)
    if statements.count == 0 { return 0 }
    // What the file calls an account may be the name of another one.
    let names = try await context.workspace.names().views(of: statements.accounts, asking: true)
    if try await context.confirmation.offer(statements.question(names)) == true {
      // A question that could not name them all is followed by the plan.
      return statements.count > ChangeRelationships.mostRowsAsked ? 0 : statements.count
    }
    changes.leaveOutStatements()
    if changes.requests.isEmpty { throw CommandFault(OperationError.declined) }
    return 0
  }

  /// Prints the maximum cost, assuming that nothing exists yet.
  private func explain(_ transfer: ImportRelationships, _ context: CommandContext) async throws {
    var reads = Set(graph.asked.graphs.map { SubjectFacts.Part.edges($0.kind) }).union([.edges(.follow)])
    if transfer.concernsLists { reads.insert(.lists) }
    var estimate = try await context.estimate(options, as: transfer.account, reading: reads)
    transfer.add(to: &estimate, at: context.time)
    try context.print(try await estimate.plan())
  }
}

extension ChangeRun {
  /// The same run, of which a number of changes was agreed to already: only others are asked about.
  fileprivate func besides(_ agreed: Int) -> ChangeRun {
    if agreed == 0 { return self }
    var verb = verb
    verb.confirmationThreshold += agreed
    var run = ChangeRun(context: context, options: options, verb: verb, choice: choice, preview: preview)
    run.question = { [verb] plan, _ in
      let others = plan.affected - agreed
      return others > 0
        ? verb.question(others, "besides what you have agreed to")
        : verb.question(plan.affected, "what you have agreed to")
    }
    return run
  }
}
