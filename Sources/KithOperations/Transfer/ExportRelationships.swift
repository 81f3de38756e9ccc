// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithPosts
public import KithRelationships
import KithWriting

/// Exports relationships of an account, part by part: as a backup, or for another account.
public struct ExportRelationships: EstimatedOperation {
  public static let name = "exportRelationships"

  /// What is exported.
  public enum Part: String, Sendable {
    case followers, following, blocks, mutes
    /// Lists with their members, and the lists that the account blocks or mutes.
    case lists
    /// Requests, acceptances and the policy.
    case friends
    /// The texts of the profile, and if the account is signed in, who may answer and quote its posts, and
    /// ``ExportRelationships/settings``.
    case settings
    /// The records of ``ExportRelationships/collections``.
    case records
  }

  /// Names per lookup: eight parallel calls.
  private static let batchSize = 8 * AccountViews.batchSize

  /// The parts, in the order of the rows.
  public var parts: [Part]
  /// The graphs whose follows and followers are exported.
  public var graphs: [FollowGraph]
  /// The account whose relationships they are.
  public var actor: ATIdentifier
  /// The same, if it is signed in: only then are its mutes known.
  public var account: AuthorizedAccount?
  /// Whether missing names of accounts are looked up.
  public var wantsNames: Bool
  /// Whether the dates of follows by followers are looked up.
  public var wantsDates: Bool
  /// The collections whose records are exported as they are: those that Kith has no rules for.
  public var collections: [NSID] = []
  /// The settings of the app that exports.
  public var settings: [ExportedSetting] = []

  public init(
    _ parts: [Part], of actor: ATIdentifier, as account: AuthorizedAccount?,
    in graphs: [FollowGraph] = [.bluesky],
    withNames wantsNames: Bool = false,
    dates wantsDates: Bool = false
  ) {
    self.parts = parts
    self.graphs = graphs
    self.actor = actor
    self.account = account
    self.wantsNames = wantsNames
    self.wantsDates = wantsDates
  }

  /// - Returns: how the rows ended; an export that was interrupted must not replace a complete one.
  public func run(in workspace: Workspace, _ report: Reporter<ExportRow>) async throws -> RowsOutcome {
    await report.deliver { rows in
      var fault: (any Error)?
      for part in parts {
        do { try await export(part, workspace, report, to: &rows) } catch {
          // What a server refuses does not concern the other parts; the export is still incomplete.
          guard parts.count > 1, Self.isOfServer(error) else { throw error }
          report.note(
            .partNotExported(part.rawValue, RelationshipError.wrapping(error) ?? .networkError(error)))
          fault = fault ?? error
        }
      }
      if let fault { throw fault }
    }
  }

  private static func isOfServer(_ error: any Error) -> Bool {
    error is RelationshipError || error is RepositoryError || error is XRPCError || error is IdentityError
  }

  private func export(
    _ part: Part, _ workspace: Workspace, _ report: Reporter<ExportRow>, to rows: inout RowBatch<ExportRow>
  ) async throws {
    if part == .friends { try await exportFriends(workspace, report, to: &rows) }
    if part == .lists { try await exportLists(workspace, report, to: &rows) }
    if part == .settings { try await exportSettings(workspace, to: &rows) }
    if part == .records { try await exportRecords(workspace, report, to: &rows) }
    for listing in listings(part) {
      try await export(listing, as: part.kind, workspace, report, to: &rows)
    }
    if part == .following, let left = try await graphsLeftOut(workspace) { report.note(left) }
  }

  /// The follows of other apps that are not exported; nil if there are none.
  ///
  /// - Throws: `CancellationError`.
  private func graphsLeftOut(_ workspace: Workspace) async throws -> Note? {
    do {
      let owner = try await workspace.identities.did(of: actor)
      let all = ListGraphs.graphs(among: try await workspace.collections(of: owner))
      let left = all.filter { !graphs.contains($0) }
      return left.isEmpty ? nil : .followsLeftOut(left)
    } catch {
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      return .otherFollowsUnknown(RelationshipError.wrapping(error) ?? .networkError(error))
    }
  }

  // MARK: Listings

  /// The listings of a part: one for each graph; none for lists.
  private func listings(_ part: Part) -> [ActorListing] {
    switch part {
    case .followers: graphs.map { ListingQuery.followers(of: actor, in: $0).listing }
    case .following: graphs.map { ListingQuery.follows(of: actor, in: $0).listing }
    case .blocks: [.blocks(of: actor)]
    case .mutes: [.mutes(of: actor)]
    case .lists, .friends, .settings, .records: []
    }
  }

  private func details(of listing: ActorListing) -> Listings.Details {
    var details: Listings.Details = wantsNames ? [.names] : []
    switch listing {
    case .followers: if wantsDates { details.insert(.dates) }
    // The repository contains the dates with the follows.
    case .follows: details.insert(.dates)
    case .blocks, .mutes, .members, .blockers, .graph, .reactions: break
    }
    return details
  }

  private func export(
    _ listing: ActorListing, as kind: PortableRelationship.Kind?, _ workspace: Workspace,
    _ report: Reporter<ExportRow>, to rows: inout RowBatch<ExportRow>
  ) async throws {
    var accounts = try await workspace.accounts(ListingQuery(listing), with: details(of: listing))
      .makeAsyncIterator()
    var standing: [DID: TimedEdge] = [:]
    if let account { standing = try await workspace.timedEdges(of: listing, for: account) }
    while let view = try await accounts.next() {
      try await rows.append(
        ExportRow(
          kind: kind, account: view, standing: standing.removeValue(forKey: view.account),
          graph: listing.graph))
      if accounts.mustWait { try await rows.flush() }
    }
    if case .mutes = listing {
      for mute in try await workspace.partialMutes(among: standing) {
        try await rows.append(ExportRow(kind: kind, account: mute.view, standing: mute.standing))
      }
    }
    let coverage = accounts.coverage
    report.note(.listed(ListingReport(listing, coverage, owner: account?.handle(in: listing))))
    if coverage.undecided > 0 || coverage.isPartial, let fault = coverage.fault { throw fault }
  }

  // MARK: Friends

  private func exportFriends(
    _ workspace: Workspace, _ report: Reporter<ExportRow>, to rows: inout RowBatch<ExportRow>
  ) async throws {
    let owner = try await workspace.identities.did(of: actor)
    let records = FriendRecords(
      RecordReader(of: owner, client: try await workspace.repository(of: owner)))
    if let policy = try await records.policy() {
      var row = ExportRow(kind: .friendPolicy, account: AccountView(owner, handle: account?.handle))
      row.policy = policy
      try await rows.append(row)
    }
    var waiting: [ExportRow] = []
    let unreadable = UnreadableRecords(.ownRecord, report.note)
    defer { unreadable.finish() }
    for try await request in records.requests() {
      guard let request else {
        unreadable.add(.unreadable(in: FriendRequest.collection, of: owner, "not of its lexicon"))
        continue
      }
      var row = ExportRow(
        kind: .friendRequest, account: AccountView(request.subject), record: request.uri,
        since: request.createdAt)
      row.request = request
      waiting.append(row)
      if waiting.count == Self.batchSize { try await name(&waiting, workspace, to: &rows) }
    }
    for try await answer in records.answers() {
      guard let answer, let requester = answer.requester else {
        unreadable.add(.unreadable(in: FriendAnswer.collection, of: owner, "not of its lexicon"))
        continue
      }
      waiting.append(
        ExportRow(
          kind: .friendAnswer, account: AccountView(requester), record: answer.uri, since: answer.createdAt))
      if waiting.count == Self.batchSize { try await name(&waiting, workspace, to: &rows) }
    }
    try await name(&waiting, workspace, to: &rows)
  }

  /// Hands over rows with the names of their accounts.
  private func name(
    _ waiting: inout [ExportRow], _ workspace: Workspace, to rows: inout RowBatch<ExportRow>
  ) async throws {
    let known = try await workspace.names().views(
      of: waiting.compactMap(\.account?.account), asking: wantsNames)
    for var row in waiting {
      row.account = row.account.map { $0.named(by: known[$0.account]) }
      try await rows.append(row)
    }
    waiting = []
  }

  // MARK: Records

  private func exportRecords(
    _ workspace: Workspace, _ report: Reporter<ExportRow>, to rows: inout RowBatch<ExportRow>
  ) async throws {
    let owner = try await workspace.identities.did(of: actor)
    let reader = RecordReader(of: owner, client: try await workspace.repository(of: owner))
    let unreadable = UnreadableRecords(.ownRecord, report.note)
    defer { unreadable.finish() }
    for collection in collections {
      for try await record in reader.contents(of: collection) {
        guard let record else {
          unreadable.add(.unreadable(in: collection, of: owner, "not an object of the data model"))
          continue
        }
        var row = ExportRow(
          kind: .init(rawValue: "\(collection)"), account: AccountView(owner, handle: account?.handle),
          record: ATURI(authority: .did(owner), collection: collection, recordKey: record.rkey),
          since: record.fields["createdAt"]?.string.flatMap { Datetime($0) })
        row.content = record.fields
        try await rows.append(row)
      }
    }
  }

  // MARK: Settings

  private func exportSettings(_ workspace: Workspace, to rows: inout RowBatch<ExportRow>) async throws {
    let owner = try await workspace.identities.did(of: actor)
    func row(_ setting: ExportedSetting, record: ATURI? = nil) -> ExportRow {
      var row = ExportRow(
        kind: setting.kind == nil ? .profile : nil, account: AccountView(owner, handle: account?.handle),
        record: record)
      row.setting = setting
      return row
    }
    let reader = RecordReader(of: owner, client: try await workspace.repository(of: owner))
    let profile = try await reader.record(.literalSelf, in: .profile)
    let uri = ATURI(authority: .did(owner), collection: .profile, recordKey: .literalSelf)
    for text in ProfileEdit.Text.allCases {
      guard let value = profile?[text.field]?.string else { continue }
      try await rows.append(row(ExportedSetting(nil, text.rawValue, value), record: uri))
    }
    guard let account else { return }
    let audience = try await PostAudience.usual(asking: account.pds)
    for setting in audience.settings + settings { try await rows.append(row(setting)) }
  }

  // MARK: Lists

  /// Exports lists, their members, and blocked and muted lists.
  private func exportLists(
    _ workspace: Workspace, _ report: Reporter<ExportRow>, to rows: inout RowBatch<ExportRow>
  ) async throws {
    let owner = try await workspace.identities.did(of: actor)
    let repository = try await workspace.repository(of: owner)
    let lists = try await OwnLists(of: owner, client: repository)
    UnreadableRecords(.list, report.note).add(lists.unreadable)
    var exported: Set<ATURI> = []
    for list in lists.all {
      guard let name = list.name, let purpose = list.purpose else {
        let reason = "its name or purpose is missing"
        let record = MalformedRecord(uri: list.uri.description, rkey: nil, value: nil, reason: reason)
        report.note(.unreadable(.list, record))
        continue
      }
      exported.insert(list.uri)
      let draft = ListDraft(copying: name, purpose: purpose, description: list.description)
      try await rows.append(
        ExportRow(kind: .list, list: list.uri, draft: draft, record: list.uri, since: list.createdAt))
    }
    let reader = RecordReader(of: owner, client: repository)
    try await exportMembers(of: exported, reader, workspace, report, to: &rows)
    let broken = UnreadableRecords(.ownRecord, report.note)
    defer { broken.finish() }
    for try await row in reader.edges(of: .listblock) {
      switch row {
      case .success(let block):
        try await rows.append(
          ExportRow(kind: .listBlock, list: block.edge.list, record: block.record, since: block.since))
      case .failure(let record): broken.add(record)
      }
    }
    guard let account else { return }
    for try await list in Listings(account.appview, as: account.did).mutedLists() {
      try await rows.append(ExportRow(kind: .listMute, list: list.uri))
    }
  }

  /// Exports the members of existing lists; records of deleted lists are skipped.
  private func exportMembers(
    of lists: Set<ATURI>, _ reader: RecordReader, _ workspace: Workspace, _ report: Reporter<ExportRow>,
    to rows: inout RowBatch<ExportRow>
  ) async throws {
    let unreadable = UnreadableRecords(.member, report.note)
    defer { unreadable.finish() }
    var waiting: [ExportRow] = []
    var leftOut = 0
    for try await row in reader.edges(of: .listitem) {
      switch row {
      case .failure(let record): unreadable.add(record)
      case .success(let item):
        guard let member = item.view, let list = item.edge.list, lists.contains(list) else {
          leftOut += 1
          continue
        }
        waiting.append(ExportRow(kind: .member, account: member, list: list))
      }
      if waiting.count == Self.batchSize { try await name(&waiting, workspace, to: &rows) }
    }
    try await name(&waiting, workspace, to: &rows)
    if leftOut > 0 { report.note(.membersLeftOut(leftOut)) }
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var plan = CostPlan(concurrency: workspace.concurrency)
    for part in parts {
      if part == .friends {
        for collection in [FriendRequest.collection, FriendAnswer.collection, FriendPolicy.collection] {
          plan.addRecords(collection, count: nil)
        }
      }
      if part == .settings {
        plan.add("com.atproto.repo.getRecord", of: .profile, calls: 1, payload: 1_000)
        if account != nil { plan.add("app.bsky.actor.getPreferences", calls: 1, payload: 5_000) }
      }
      if part == .records { for collection in collections { plan.addRecords(collection, count: nil) } }
      if part == .lists {
        for collection in [NSID.list, .listitem, .listblock] { plan.addRecords(collection, count: nil) }
      }
      if part == .following { plan.add("com.atproto.repo.describeRepo", calls: 1, payload: 1_000) }
      for listing in listings(part) {
        let client = account?.appview ?? workspace.appview
        let count = try await NetworkCounts(client: client).entries(of: [listing])[0]
        plan.addListing(
          listing, entries: count, needs: AccountPredicate.Needs().with(details(of: listing)))
        plan.targets = (plan.targets ?? 0) + (count ?? 0)
      }
    }
    return plan
  }
}

extension MalformedRecord {
  /// A record that is unreadable, of which only the collection is known.
  fileprivate static func unreadable(
    in collection: NSID, of owner: DID, _ reason: String
  ) -> MalformedRecord {
    MalformedRecord(uri: "at://\(owner)/\(collection)", rkey: nil, value: nil, reason: reason)
  }
}

extension ExportRelationships.Part {
  /// The kind of the rows of a listing; nil for followers, which cannot be imported, and for lists.
  fileprivate var kind: PortableRelationship.Kind? {
    switch self {
    case .following: .follow
    case .blocks: .block
    case .mutes: .mute
    case .followers, .lists, .friends, .settings, .records: nil
    }
  }
}

extension PostAudience {
  /// Who may answer and quote, in the words of `--replies`.
  fileprivate var settings: [ExportedSetting] {
    let answers = replies.map { $0.isEmpty ? "none" : $0.map(\.word).joined(separator: " ") } ?? "everyone"
    let quotes =
      (quoting ?? []).isEmpty
      ? "everyone"
      : quoting?.allSatisfy { $0.type == "app.bsky.feed.postgate#disableRule" } == true ? "none" : "other"
    return [ExportedSetting(.post, "replies", answers), ExportedSetting(.post, "quotes", quotes)]
  }
}
