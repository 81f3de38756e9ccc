// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

/// The relationships that files contain, all read before anything is changed.
public struct ImportedRelationships: Sendable {
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
    /// When it ends; nil if it is permanent.
    var until: Datetime?
    /// How much a mute hides.
    var scope: MuteScope?
    /// Its record in the repository that the file came from, and the date of that.
    var record: ATURI?
    var since: Datetime?
  }

  private let graphs: [FollowGraph]
  private let role: PortableRelationship.Kind?
  private let only: Set<String>
  /// Reports rows that are not valid.
  private let invalid: InvalidNames
  /// The relationships, in the order of the files.
  private(set) var entries: [Entry] = []
  /// How many rows there were, of whatever kind.
  private var rows = 0
  private var kindless = 0
  private var followers = 0
  private var lists = 0
  private var ended = 0
  private var settings = 0
  /// Follows in graphs that are not wanted.
  private var otherGraphs: [String: Int] = [:]
  /// How many rows that speak for the account are left out, by kind.
  private var statementsLeftOut: [PortableRelationship.Kind: Int] = [:]
  private let now: Datetime

  /// - Parameters:
  ///   - role: what accounts are to be, whatever their rows say: follows in each of the graphs.
  ///   - graphs: the graphs whose follows are imported; rows that name none are Bluesky's.
  ///   - only: the kinds of rows that count; all where it is empty. Records that Kith has no rules for may say anything for
  ///     the account, so they only count if their collection is among them.
  ///   - now: what has ended by then is skipped.
  ///   - invalid: reports rows that are not valid.
  public init(
    role: PortableRelationship.Kind?, in graphs: [FollowGraph] = [.bluesky], only: Set<String>,
    at now: Datetime, invalid: InvalidNames
  ) {
    (self.role, self.graphs, self.only, self.now, self.invalid) = (role, graphs, only, now, invalid)
  }

  /// Reads a file to its end.
  ///
  /// - Throws: ``OperationError`` if it cannot be read completely.
  public mutating func read(_ source: any ByteSource, column: String?) async throws {
    var reader = ImportReader(file: source.name, column: column)
    var decoder = TextDecoder()
    while true {
      let piece = try await source.next()
      var rows = try reader.received(piece.isEmpty ? decoder.finish() : decoder.decode(piece))
      if piece.isEmpty { rows += try reader.ended() }
      for row in rows { add(row, at: "\(source.name):\(row.line)") }
      if piece.isEmpty { return }
    }
  }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The kinds of rows that speak for the account.
  public var statements: [PortableRelationship.Kind] {
    PortableRelationship.Kind.statements.filter { kind in entries.contains { $0.kind == kind } }
  }

  /// Leaves out the rows that speak for the account, except for the kinds that were asked for by name, and counts them.
  public mutating func leaveOutStatements() {
    for kind in statements where !only.contains(kind.rawValue) {
      statementsLeftOut[kind] = entries.count { $0.kind == kind }
      entries.removeAll { $0.kind == kind }
    }
  }

  /// - Throws: ``OperationError`` if a row is invalid, or there is nothing to import.
  public func finish() throws {
    try invalid.finish()
    guard kindless == 0 else { throw OperationError.importNeedsKind(kindless) }
    // Files without rows are an answer, as where a listing before them in a pipe had none.
    guard entries.isEmpty else { return }
    if rows > 0 { throw leftOut().map { .importSkipped($0) } ?? OperationError.importEmpty }
  }

  /// How many rows are skipped; nil if none are.
  ///
  /// - Parameter oneself: rows that name the account which imports.
  func leftOut(oneself: Int = 0) -> SkippedRows? {
    let skipped = SkippedRows(
      followers: followers, lists: lists, settings: settings, oneself: oneself, ended: ended,
      otherFollows: otherGraphs.values.reduce(0, +), in: otherGraphs.keys.sorted(),
      statements: statementsLeftOut.values.reduce(0, +),
      of: statementsLeftOut.keys.map(\.rawValue).sorted())
    return skipped.count > 0 ? skipped : nil
  }

  private mutating func add(_ row: ImportRow, at place: String) {
    rows += 1
    do throws(InputError) {
      if row.isUnreadable {
        throw InputError(text: row.account ?? "", reason: TextRecord.namesNoAccount, place: place)
      }
      guard let kind = try kind(of: row, at: place) else { return }
      guard kind == .follow else { return try add(row, kind, in: .bluesky, at: place) }
      if role != nil {
        for graph in graphs { try add(row, kind, in: graph, at: place) }
        return
      }
      let graph = try Self.graph(of: row, at: place)
      if graphs.contains(graph) {
        try add(row, kind, in: graph, at: place)
      } else {
        otherGraphs[graph.name, default: 0] += 1
      }
    } catch {
      invalid.add(.invalid(error))
    }
  }

  /// The graph that a row about a follow names, in a field of its own or by the type of the record.
  private static func graph(of row: ImportRow, at place: String) throws(InputError) -> FollowGraph {
    if let graph = row.kind.flatMap({ NSID($0) }).flatMap({ FollowGraph($0) }) { return graph }
    guard let text = row.graph, row.kind != nil else { return .bluesky }
    guard let graph = FollowGraph(parsing: text), !graph.isReserved else {
      throw InputError(
        text: text, naming: "graph",
        reason: "use \(FollowGraph.known.map(\.name).joined(separator: ", ")), or the NSID of another one",
        place: place)
    }
    return graph
  }

  private mutating func add(
    _ row: ImportRow, _ kind: PortableRelationship.Kind, in graph: FollowGraph, at place: String
  ) throws(InputError) {
    var entry = try Self.entry(row, kind, in: graph, at: place)
    // Other tables may have such columns, too, and say something else in them.
    entry.until = row.until.flatMap { Datetime($0) }
    if row.kind != nil, let text = row.until, entry.until == nil {
      throw InputError(
        text: text, naming: "end", reason: "write a date such as 2026-12-31T12:00:00Z", place: place)
    }
    if let until = entry.until, until.instant <= now.instant {
      ended += 1
      return
    }
    // The end of a request is part of it.
    if kind == .friendRequest { entry.until = nil }
    entry.scope = kind == .mute ? row.scope.flatMap { MuteScope(rawValue: $0) } : nil
    if kind == .mute, row.kind != nil, let text = row.scope, entry.scope == nil {
      let known = MuteScope.allCases.map(\.rawValue).joined(separator: ", ")
      throw InputError(text: text, naming: "scope", reason: "use \(known)", place: place)
    }
    if add(toProfile: entry) { return }
    entry.record = row.record.flatMap { ATURI($0) }
    entry.since = row.since.flatMap { Datetime($0) }
    entries.append(entry)
  }

  /// Adds a text of the profile to those before it: the profile is one record, which changes once.
  ///
  /// - Returns: whether there are any.
  private mutating func add(toProfile entry: Entry) -> Bool {
    guard case .known(.profile(let edit)) = entry.meaning,
      let place = entries.firstIndex(where: { $0.kind == .profile }),
      case .known(.profile(var profile)) = entries[place].meaning
    else { return false }
    for text in ProfileEdit.Text.allCases { profile[text] = edit[text] ?? profile[text] }
    entries[place] = Entry(input: entries[place].input, kind: .profile, meaning: .known(.profile(profile)))
    return true
  }

  /// The relationship of the row; nil if it is skipped.
  private mutating func kind(
    of row: ImportRow, at place: String
  ) throws(InputError) -> PortableRelationship.Kind? {
    let own = row.kind.flatMap { PortableRelationship.Kind(word: $0) ?? wantedRecord($0) }
    let other = row.kind.flatMap { ExportRow.notImported.contains($0) ? $0 : nil }
    if !only.isEmpty, !only.contains(own?.rawValue ?? other ?? "") { return nil }
    if own == .profile && role != nil || other.flatMap({ ExportedSetting.Kind(rawValue: $0) }) != nil {
      settings += 1
      return nil
    }
    if let role {
      guard row.account == nil, own == .list || own == .listBlock || own == .listMute else { return role }
      lists += 1
      return nil
    }
    if other != nil {
      followers += 1
      return nil
    }
    if let own { return own }
    if namesAFollow(row) { return .follow }
    if let kind = row.kind {
      let known = PortableRelationship.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw InputError(
        text: kind, naming: "relationship", reason: "use \(known), or name one kind for all rows",
        place: place)
    }
    if row.list != nil { return .member }
    if row.account == nil { throw InputError(text: "", reason: "the row has no account", place: place) }
    kindless += 1
    return nil
  }

  /// The kind of records that is asked for by its collection; nil for any other.
  private func wantedRecord(_ kind: String) -> PortableRelationship.Kind? {
    guard only.contains(kind), let collection = NSID(kind), RecordKind.isOpen(collection) else { return nil }
    return PortableRelationship.Kind(rawValue: kind)
  }

  /// Whether the type of a record is that of a follow: in a graph that is asked for, or with a name such as all known
  /// graphs have.
  private func namesAFollow(_ row: ImportRow) -> Bool {
    guard let collection = row.kind.flatMap({ NSID($0) }), let graph = FollowGraph(collection) else {
      return false
    }
    return !graph.isReserved && (graphs.contains(graph) || FollowGraph.isLikely(collection))
  }

  private static func entry(
    _ row: ImportRow, _ kind: PortableRelationship.Kind, in graph: FollowGraph, at place: String
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
    case .follow: meaning = .about(try account()) { .follow($0, in: graph) }
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
      let draft = ListDraft(copying: name, purpose: known, description: row.description)
      meaning = .known(.list(try list(), draft))
    case .listBlock: meaning = .known(.listBlock(try list()))
    case .listMute: meaning = .known(.listMute(try list()))
    case .profile:
      guard let text = ProfileEdit.Text(rawValue: row.name ?? ""), let value = row.description, !value.isEmpty
      else {
        let known = ProfileEdit.Text.allCases.map(\.rawValue).joined(separator: ", ")
        throw InputError(
          text: row.name ?? "", naming: "text of a profile",
          reason: "name one of \(known), with its text as description", place: place)
      }
      var edit = ProfileEdit()
      edit[text] = value
      return Entry(input: "profile", kind: kind, meaning: .known(.profile(edit)))
    case .friendRequest:
      guard let wanted = FriendRequest.Kind(rawValue: row.purpose ?? "") else {
        throw InputError(
          text: row.purpose ?? "", naming: "purpose of a request",
          reason: "use \(FriendRequest.Kind.allCases.map(\.rawValue).joined(separator: " or "))", place: place
        )
      }
      let draft = FriendRequestDraft(wanted, expiresAt: row.until.flatMap { Datetime($0) })
      meaning = .about(try account()) { .friendRequest($0, draft) }
    case .friendAnswer:
      guard let key = row.record.flatMap({ ATURI($0) })?.recordKey else {
        throw InputError(
          text: row.record ?? "", naming: "record", reason: "the row does not say which request was accepted",
          place: place)
      }
      meaning = .about(try account()) { .friendAnswer($0, key) }
    case .friendPolicy:
      let audience = FriendPolicy.Audience(word: row.name ?? FriendPolicy.Audience.everyone.word)
      if case .unknown(let word) = audience {
        let known = FriendPolicy.Audience.known.map(\.word).joined(separator: ", ")
        throw InputError(text: word, naming: "name of a policy", reason: "use \(known)", place: place)
      }
      let lifetime = row.scope.flatMap { Int($0) }.map(Duration.seconds)
      guard lifetime.map(FriendPolicy.lifetimes.contains) ?? true else {
        throw InputError(
          text: row.scope ?? "", naming: "scope of a policy", reason: "use 3600 to 31536000 seconds",
          place: place)
      }
      meaning = .known(
        .friendPolicy(
          FriendPolicy(
            whoMayAsk: audience, requiresApproval: row.purpose == FriendPolicy.approvesFollowers,
            requestLifetime: lifetime)))
    default:
      guard let record = row.record.flatMap({ ATURI($0) }), record.recordKey != nil,
        record.collection?.description == kind.rawValue
      else {
        throw InputError(
          text: row.record ?? "", naming: "record", reason: "write it as at://DID/\(kind.rawValue)/KEY",
          place: place)
      }
      guard
        let fields = row.description.flatMap({ try? JSONCoding.decode(DataValue.self, from: Array($0.utf8)) }
        )?.object
      else {
        throw InputError(
          text: row.description ?? "", naming: "content of a record", reason: "write it as a JSON object",
          place: place)
      }
      return Entry(input: "\(record)", kind: kind, meaning: .known(.record(record, fields)))
    }
    // The handle beside a DID is what the file calls the account, and may be that of another one.
    return Entry(input: row.account ?? row.name ?? row.list ?? "", kind: kind, meaning: meaning)
  }
}

extension ImportedRelationships.Entry {
  /// The account of the row; nil if it is about a list only.
  var account: RelationshipQuestion.Target? {
    if case .about(let name, _) = meaning { name } else { nil }
  }

  /// Whether it is a record of a kind that Kith has no rules for.
  var isRecord: Bool { if case .known(.record) = meaning { true } else { false } }

  /// Whether it names an account by its handle.
  var isHandle: Bool { if case .handle = account { true } else { false } }

  /// The relationship, with its account resolved.
  func relationship(
    _ find: (RelationshipQuestion.Target) -> Result<DID, any Error>
  ) -> Result<PortableRelationship, any Error> {
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
