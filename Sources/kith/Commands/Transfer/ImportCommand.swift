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
      can undo.

        kith import me.csv --dry-run
        kith import me.csv --account new.test
        kith import spammers.txt --as block
        kith import follows.json --as follow --only follow

      Fields of each row: verb (the change), input, subject, state (done, unchanged, planned, refused, \
      failed, notFound, error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: \
      step, collection, calls, targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(
    name: "import", participle: "imported", isDestructive: true, noun: "row", leastAsked: 1,
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
      "Only rows of these kinds: follow, block, mute, list, member, list-block, list-mute, follower.",
      valueName: "kind"), completion: .list(PortableRelationship.Kind.allCases.map(\.rawValue) + ["follower"])
  )
  var only: [String] = []

  @Option(help: ArgumentHelp("The CSV column of the accounts.", valueName: "name"), completion: .column)
  var column: String?

  @Flag(help: "Skip rows that are not valid, with a warning, instead of failing.")
  var skipInvalid = false

  @Flag(help: "Also block and mute lists that are not moderation lists.") var allowCuration = false

  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  mutating func validate() throws {
    if files.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("stdin (-) can be read only once; omit the others.")
    }
    let kinds = PortableRelationship.Kind.allCases.map(\.rawValue) + [ExportRow.follower]
    if let unknown = only.first(where: { !kinds.contains($0) }) {
      throw ValidationError("--only \(unknown): unknown kind; use \(kinds.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let invalid = InvalidNames(skipInvalid ? .skipped : .fatal) { [common] in common.say($0) }
    var roll = ImportRoll(role: role?.kind, only: Set(only), invalid: invalid)
    for file in files { try await roll.read(try InputDescriptor(path: file), column: column) }
    try roll.finish()
    if roll.entries.isEmpty {
      if !common.quiet { StandardError.say(.noInput("rows")) }
      return try await common.printing(ChangeRow.self, environment: wiring.environment) { _ in }
    }
    let run = ImportRun(
      wiring: wiring, account: try await wiring.workspace.account(), roll: roll,
      allowsFollowed: moderation.allowMutuals, allowsCuration: allowCuration)
    if options.cost.explain { return try await run.explain(options) }
    try await run.perform(options)
  }
}

/// The rows of the imported files, all read before anything is changed.
///
/// An invalid row fails the whole import, as with any roll of accounts.
struct ImportRoll {
  /// The relationship of a row.
  struct Entry: Sendable {
    /// The relationship, with or without a known account.
    enum Meaning: Sendable {
      case known(PortableRelationship)
      /// A relationship with an account that has to be resolved first.
      case about(RelationshipQuestion.Target, @Sendable (DID) -> PortableRelationship)
    }

    /// The account or list, as the file names it.
    let input: String
    let kind: PortableRelationship.Kind
    let meaning: Meaning
  }

  private let role: PortableRelationship.Kind?
  private let only: Set<String>
  /// Reports rows that are not valid.
  private let invalid: InvalidNames
  private(set) var entries: [Entry] = []
  /// How many rows there were, of whatever kind.
  private var rows = 0
  private var kindless = 0
  private var followers = 0
  private var lists = 0

  /// - Parameters:
  ///   - role: what accounts are to be, whatever their rows say.
  ///   - only: the kinds of rows that count; all where it is empty.
  ///   - invalid: reports rows that are not valid.
  init(role: PortableRelationship.Kind?, only: Set<String>, invalid: InvalidNames) {
    (self.role, self.only, self.invalid) = (role, only, invalid)
  }

  /// Reads a file to its end.
  ///
  /// - Throws: ``CommandFault`` if it cannot be read completely.
  mutating func read(_ source: any ByteSource, column: String?) async throws {
    var reader = ImportReader(file: source.name, column: column)
    var decoder = TextDecoder()
    while true {
      let piece = try await source.next()
      var rows = try reader.received(piece.isEmpty ? decoder.finish() : decoder.decode(piece))
      if piece.isEmpty { rows += try reader.ended() }
      for row in rows { take(row, at: "\(source.name):\(row.line)") }
      if piece.isEmpty { return }
    }
  }

  /// - Throws: ``CommandFault`` if a row is invalid, or there is nothing to import.
  func finish() throws {
    try invalid.finish()
    guard kindless == 0 else { throw CommandFault(.usage, .importNeedsKind(kindless)) }
    // Files without rows are an answer, as where a listing before them in a pipe had none.
    guard entries.isEmpty else { return }
    if rows > 0 {
      if let leftOut = leftOut() { throw CommandFault(.badInput, leftOut) }
      throw OperationError.importEmpty
    }
  }

  /// The message about skipped rows; nil if there are none.
  ///
  /// - Parameter oneself: rows that name the account which imports.
  func leftOut(oneself: Int = 0) -> Message? {
    guard followers + lists + oneself > 0 else { return nil }
    return .importSkipped(followers: followers, lists: lists, oneself: oneself)
  }

  private mutating func take(_ row: ImportRow, at place: String) {
    rows += 1
    do throws(InputError) {
      if row.isUnreadable {
        throw InputError(text: row.account ?? "", reason: TextRecord.namesNoAccount, place: place)
      }
      guard let kind = try kind(of: row, at: place) else { return }
      entries.append(try Self.entry(row, kind, at: place))
    } catch {
      invalid.add(.invalid(error))
    }
  }

  /// The relationship of the row; nil if it is skipped.
  private mutating func kind(
    of row: ImportRow, at place: String
  ) throws(InputError) -> PortableRelationship.Kind? {
    let own = row.kind.flatMap { PortableRelationship.Kind(word: $0) }
    let isFollower = row.kind == ExportRow.follower
    if !only.isEmpty, !only.contains(own?.rawValue ?? (isFollower ? ExportRow.follower : "")) { return nil }
    if let role {
      guard row.account == nil, own == .list || own == .listBlock || own == .listMute else { return role }
      lists += 1
      return nil
    }
    if isFollower {
      followers += 1
      return nil
    }
    if let own { return own }
    if let kind = row.kind {
      let known = PortableRelationship.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw InputError(
        text: kind, naming: "relationship", reason: "use \(known), or override the kind with --as",
        place: place)
    }
    if row.list != nil { return .member }
    if row.account == nil { throw InputError(text: "", reason: "the row has no account", place: place) }
    kindless += 1
    return nil
  }

  private static func entry(
    _ row: ImportRow, _ kind: PortableRelationship.Kind, at place: String
  ) throws(InputError) -> Entry {
    func account() throws(InputError) -> RelationshipQuestion.Target {
      let question = RelationshipQuestion(typed: row.account ?? "", at: place)
      if case .unreadable(let error) = question.target { throw error }
      // A change of the owner of a named list is never intended.
      if question.namesAList {
        throw InputError(
          text: row.account ?? "", reason: "this is a list, not an account",
          place: place)
      }
      return question.target
    }
    func list() throws(InputError) -> ATURI {
      if let list = row.list.flatMap({ ATURI($0) }), list.isList { return list }
      throw InputError(
        text: row.list ?? "", naming: "list", reason: "write it as at://DID/app.bsky.graph.list/KEY",
        place: place)
    }
    let meaning: Entry.Meaning
    switch kind {
    case .follow: meaning = .about(try account()) { .follow($0) }
    case .block: meaning = .about(try account()) { .block($0) }
    case .mute: meaning = .about(try account()) { .mute($0) }
    case .member:
      let list = try list()
      meaning = .about(try account()) { .member($0, of: list) }
    case .list:
      guard let name = row.name, let purpose = row.purpose else {
        throw InputError(
          text: row.list ?? "", naming: "list", reason: "the row has no name or no purpose", place: place)
      }
      let known = ListPurpose(word: purpose)
      // Future purposes in the lexicon are tokens of a schema.
      if case .other(let word) = known, !word.contains("#") {
        throw InputError(
          text: word, naming: "purpose of a list", reason: "use curate, mod or reference",
          place: place)
      }
      let draft = ListDraft(name: name, purpose: known, description: row.description)
      meaning = .known(.list(try list(), draft))
    case .listBlock: meaning = .known(.listBlock(try list()))
    case .listMute: meaning = .known(.listMute(try list()))
    default:
      throw InputError(
        text: kind.rawValue, naming: "relationship", reason: "it is not imported", place: place)
    }
    return Entry(input: row.account ?? row.name ?? row.list ?? "", kind: kind, meaning: meaning)
  }
}

/// Creates the relationships of an import.
struct ImportRun {
  let wiring: Wiring
  let account: AuthorizedAccount
  let roll: ImportRoll
  let allowsFollowed: Bool
  /// Whether lists that are not made for moderation are blocked and muted, too.
  let allowsCuration: Bool

  private var common: CommonOptions { wiring.common }

  /// Creates missing relationships, and ends the command with the status of all rows.
  func perform(_ options: ChangeOptions) async throws {
    let handles = roll.entries.compactMap { entry in
      if case .handle(let handle) = entry.account { handle } else { nil }
    }
    let resolved = handles.isEmpty ? [:] : try await wiring.identities.dids(of: handles, orBy: account.pds)
    func found(_ name: RelationshipQuestion.Target) -> Result<DID, CommandFault> {
      switch name {
      case .did(let did): .success(did)
      case .handle(let handle):
        resolved[handle]?.mapError(CommandFault.init)
          ?? .failure(CommandFault(OperationError.unresolvedHandle(handle)))
      case .unreadable(let error): .failure(CommandFault(.badInput, Message(error)))
      }
    }
    // The exporting account may follow the importing one.
    let entries = roll.entries.filter { entry in
      entry.kind == .member || entry.account.flatMap { try? found($0).get() } != account.did
    }
    // Lists are created before their members, regardless of the order in the file.
    let inOrder = entries.filter { $0.kind == .list } + entries.filter { $0.kind != .list }
    let skipped = roll.leftOut(oneself: roll.entries.count - entries.count)
    if let skipped, !common.quiet { StandardError.say(skipped) }
    let relationships = inOrder.map { entry in entry.relationship(found) }
    let lists = concernsLists ? try await OwnLists(of: account.did, client: account.pds) : OwnLists()
    let transfer = transfer(relationships.compactMap { try? $0.get() }, owning: lists)
    let changes = relationships.map { relationship in relationship.flatMap { change(for: $0, transfer) } }
    let objections = try await objections(to: changes.compactMap { try? $0.get() }, owning: lists)
    let requests = zip(inOrder, changes).map { entry, change in
      RequestedChange(
        input: entry.input,
        change: change.flatMap { change in
          change.hiddenList.flatMap { objections[$0] }.map { .failure($0) } ?? .success(change)
        }, isResolved: entry.isHandle)
    }
    let run = ChangeRun(
      wiring: wiring, options: options, verb: ImportCommand.verb,
      preview: { [.importPreview(ImportPreview($0))] })
    try await run.finish(requests, as: account) { $0.keepingFollows(of: transfer.followed) }
  }

  /// Prints the maximum cost, assuming that nothing exists yet.
  func explain(_ options: ChangeOptions) async throws {
    var explanation = try await ChangeExplanation(
      wiring, options, as: account, reading: concernsLists ? [.edges(.follow), .lists] : [.edges(.follow)])
    if concernsLists { explanation.addOwnLists() }
    var relationships: [PortableRelationship] = []
    for entry in roll.entries {
      // Only the number of accounts matters, so unknown DIDs get placeholders.
      let relationship = entry.relationship { name in
        let account: DID? =
          switch name {
          case .did(let did): did
          case .handle(let handle): explanation.addAccount(.handle(handle))
          case .unreadable: nil
          }
        return account.map { .success($0) } ?? .failure(CommandFault(.badInput))
      }
      if case .success(let relationship) = relationship { relationships.append(relationship) }
    }
    let transfer = transfer(relationships, owning: OwnLists())
    for relationship in relationships {
      if case .success(let change) = change(for: relationship, transfer) { explanation.add(change) }
    }
    try await explanation.print()
  }

  /// Why lists are not blocked or muted: they are not for moderation, or that cannot be found out.
  ///
  /// Lists that are blocked already need no permission.
  private func objections(
    to changes: [ChangeIntent], owning lists: OwnLists
  ) async throws -> [ATURI: CommandFault] {
    var open = allowsCuration ? [] : Set(changes.compactMap(\.hiddenList))
    if open.isEmpty { return [:] }
    for try await row in RecordReader(of: account.did, client: account.pds).edges(of: .listblock) {
      if case .success(let found) = row, let list = found.edge.list { open.remove(list) }
    }
    var drafts: [ATURI: ListPurpose] = [:]
    for case .list(.create(let list, let draft)) in changes { drafts[list] = draft.purpose }
    var objections: [ATURI: CommandFault] = [:]
    for list in open {
      do {
        let purpose: ListPurpose?
        if let known = drafts[list] ?? lists[list]?.purpose {
          purpose = known
        } else if let reach = try await wiring.reach(of: list) {
          purpose = reach.purpose
        } else {
          objections[list] = CommandFault(.notFound, .noSuchList(list, isOwn: false))
          continue
        }
        if purpose != .moderate {
          objections[list] = CommandFault(.notAllowed, .notForModeration(list, purpose))
        }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        objections[list] = CommandFault(any: error) ?? CommandFault(.unavailable, Message(other: error))
      }
    }
    return objections
  }

  private var concernsLists: Bool {
    roll.entries.contains { ![.follow, .block, .mute].contains($0.kind) }
  }

  private func transfer(
    _ relationships: [PortableRelationship], owning lists: OwnLists
  ) -> RelationshipTransfer {
    let keys = TIDClock(time: wiring.time)
    return RelationshipTransfer(of: relationships, to: account.did, owning: lists) {
      OwnList.uri(RecordKey(tid: keys.next()), of: account.did)
    }
  }

  private func change(
    for relationship: PortableRelationship, _ transfer: RelationshipTransfer
  ) -> Result<ChangeIntent, CommandFault> {
    if let change = transfer.change(for: relationship, allowsFollowed: allowsFollowed) {
      return .success(change)
    }
    // Only members can lack a list.
    guard case .member(_, let list) = relationship else {
      return .failure(CommandFault(OperationError.importEmpty))
    }
    return .failure(CommandFault(.notFound, .unknownListInFile(list)))
  }
}

extension ChangeIntent {
  /// The list that it blocks or mutes.
  fileprivate var hiddenList: ATURI? {
    switch self {
    case .blockList(let list), .muteList(let list): list
    default: nil
    }
  }
}

extension ImportRoll.Entry {
  /// The account of the row; nil if it is about a list only.
  fileprivate var account: RelationshipQuestion.Target? {
    if case .about(let name, _) = meaning { name } else { nil }
  }

  /// Whether it names an account by its handle.
  fileprivate var isHandle: Bool { if case .handle = account { true } else { false } }

  /// The relationship, with its account resolved.
  fileprivate func relationship(
    _ find: (RelationshipQuestion.Target) -> Result<DID, CommandFault>
  ) -> Result<PortableRelationship, CommandFault> {
    switch meaning {
    case .known(let relationship): .success(relationship)
    case .about(let name, let relationship): find(name).map(relationship)
    }
  }
}

extension PortableRelationship.Kind {
  /// Parses the kind in an export, or the type of a record.
  fileprivate init?(word: String) {
    switch word {
    case NSID.follow.description: self = .follow
    case NSID.block.description: self = .block
    case NSID.list.description: self = .list
    case NSID.listitem.description: self = .member
    case NSID.listblock.description: self = .listBlock
    default:
      guard let kind = Self.allCases.first(where: { $0.rawValue == word }) else { return nil }
      self = kind
    }
  }
}
