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
      "Only rows of these kinds: \(Self.kinds.joined(separator: ", ")), or of a collection, such as com.example.note.",
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

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  private static let kinds = PortableRelationship.Kind.allCases.map(\.rawValue) + ExportRow.notImported

  mutating func validate() throws {
    if files.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("stdin (-) can be read only once; omit the others.")
    }
    let kinds = Self.kinds
    if let unknown = only.first(where: { kind in
      !kinds.contains(kind) && NSID(kind).map(RecordKind.isOpen) != true
    }) {
      throw ValidationError(
        "--only \(unknown): unknown kind; use \(kinds.joined(separator: ", ")), or a collection of another app."
      )
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    var change = ImportFiles(try files.map { file throws(CommandFault) in try process.file(file) })
    (change.column, change.role, change.graphs, change.only) = (
      column, role?.kind, graph.asked.graphs, Set(only)
    )
    change.skipsInvalid = skipInvalid
    (change.allowsFollowed, change.allowsCuration) = (moderation.allowMutuals, allowCuration)
    // A yes to the whole file, given beforehand, is not a consent, nor a change of what the account says about itself.
    change.leavesOutStatements = options.yes || !(options.dryRun || context.confirmation.isPossible)
    try await ChangeRun(context: context, options: options).finish(change)
  }
}
