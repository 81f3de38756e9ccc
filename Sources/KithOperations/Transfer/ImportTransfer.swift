// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// Which changes create the relationships of files.
struct ImportTransfer: Sendable {
  /// The relationships.
  let relationships: ImportedRelationships
  /// The account that gets them.
  let account: AuthorizedAccount
  /// Whether accounts that the account follows become members of moderation lists.
  let allowsFollowed: Bool
  /// Whether lists that are not made for moderation are blocked and muted, too.
  let allowsCuration: Bool

  init(
    _ relationships: ImportedRelationships, to account: AuthorizedAccount,
    allowingFollowed allowsFollowed: Bool,
    curation allowsCuration: Bool
  ) {
    self.relationships = relationships
    self.account = account
    self.allowsFollowed = allowsFollowed
    self.allowsCuration = allowsCuration
  }

  /// The changes of an import.
  struct Changes: Sendable {
    /// One for each relationship: lists before their members, whatever their order in the files.
    private(set) var requests: [RequestedChange]
    /// The places of the requests that speak for the account.
    fileprivate var statements: Set<Int>
    /// Keeps the follows that the import is about, although a block among it ends them, and the ends of timed changes;
    /// gives records that come back into their repository the dates that they had.
    let narrowing: @Sendable (PlannedChange) -> PlannedChange

    /// Whether any speaks for the account.
    var haveStatements: Bool { !statements.isEmpty }

    /// Leaves out the changes that speak for the account.
    mutating func leaveOutStatements() {
      requests = requests.indices.filter { !statements.contains($0) }.map { requests[$0] }
      statements = []
    }
  }

  /// Summarizes the changes that speak for the account, without making them.
  ///
  /// - Throws: what `ChangeEngine.plan` and the stores throw.
  func statements(in changes: Changes, of workspace: Workspace) async throws -> ImportedStatements {
    let engine = workspace.engine(of: account, journal: try workspace.jobStoreToRead())
    let requests = changes.statements.sorted().compactMap { changes.requests[$0].named }
    return ImportedStatements(try await engine.plan(requests, narrowing: changes.narrowing))
  }

  /// The changes that create the relationships.
  ///
  /// - Parameter note: receives how many rows are skipped.
  /// - Throws: errors of resolution, and of the account's server.
  func changes(in workspace: Workspace, _ note: (Note) -> Void) async throws -> Changes {
    let handles = self.relationships.entries.compactMap { entry in
      if case .handle(let handle) = entry.account { handle } else { nil }
    }
    let resolved = handles.isEmpty ? [:] : try await workspace.identities.dids(of: handles, orBy: account.pds)
    func found(_ name: RelationshipQuestion.Target) -> Result<DID, any Error> {
      switch name {
      case .did(let did): .success(did)
      case .handle(let handle):
        resolved[handle]?.mapError(\.self) ?? .failure(OperationError.unresolvedHandle(handle))
      case .unreadable(let error): .failure(error)
      }
    }
    // The exporting account may follow the importing one.
    let entries = self.relationships.entries.filter { entry in
      entry.kind == .member || entry.account.flatMap { try? found($0).get() } != account.did
    }
    // Lists are created before their members, regardless of the order in the file.
    let inOrder = entries.filter { $0.kind == .list } + entries.filter { $0.kind != .list }
    if let skipped = self.relationships.leftOut(oneself: self.relationships.entries.count - entries.count) {
      note(.importSkipped(skipped))
    }
    let relationships = inOrder.map { entry in entry.relationship(found) }
    let lists = concernsLists ? try await OwnLists(of: account.did, client: account.pds) : OwnLists()
    let transfer = transfer(relationships.compactMap { try? $0.get() }, owning: lists, at: workspace.time)
    let friendships = try await friendships(in: relationships, workspace)
    let changes = relationships.map { relationship in
      relationship.flatMap { relationship in
        if case .friendAnswer(let requester, let key) = relationship {
          Result { try friendships[requester].accepting(key, of: requester) }
        } else {
          change(for: relationship, transfer)
        }
      }
    }
    let objections = try await objections(
      to: changes.compactMap { try? $0.get() }, owning: lists, workspace)
    var dates: [ChangeIntent: Datetime] = [:]
    let requests = zip(inOrder, changes).map { entry, change in
      let change = change.map { $0.muting(entry.scope) }
      // A record has its date in its content.
      if !entry.isRecord, let change = try? change.get(), let since = entry.since,
        entry.record?.authority == .did(account.did)
      {
        dates[change] = since
      }
      return RequestedChange(
        entry.input,
        change.flatMap { change in
          change.hiddenList.flatMap { objections[$0] }.map { .failure($0) } ?? .success(change)
        }, isResolved: entry.isHandle, until: entry.until)
    }
    // What is there keeps its end, whatever the file says.
    let now = Datetime(at: workspace.time.instant)
    let statements = Set(
      inOrder.indices.filter { PortableRelationship.Kind.statements.contains(inOrder[$0].kind) })
    return Changes(requests: requests, statements: statements) { [followed = transfer.followed, dates] in
      let planned = $0.keepingFollows(of: followed).keepingEnds().keepingRecords()
      return dates[$0.change].map { planned.created(at: $0, now: now) } ?? planned
    }
  }

  /// Why lists are not blocked or muted: they are not for moderation, or that cannot be found out.
  ///
  /// Lists that are blocked already need no permission.
  /// What the accounts whose requests are to be accepted ask for now.
  private func friendships(
    in relationships: [Result<PortableRelationship, any Error>], _ workspace: Workspace
  ) async throws -> [DID: Friendship] {
    let requesters = relationships.compactMap { relationship -> DID? in
      if case .success(.friendAnswer(let requester, _)) = relationship { requester } else { nil }
    }
    if requesters.isEmpty { return [:] }
    return try await workspace.friendships().friendships(of: account.did, with: Array(Set(requesters)))
  }

  private func objections(
    to changes: [ChangeIntent], owning lists: OwnLists, _ workspace: Workspace
  ) async throws -> [ATURI: any Error] {
    var open = allowsCuration ? [] : Set(changes.compactMap(\.hiddenList))
    if open.isEmpty { return [:] }
    for try await row in RecordReader(of: account.did, client: account.pds).edges(of: .listblock) {
      if case .success(let found) = row, let list = found.edge.list { open.remove(list) }
    }
    var drafts: [ATURI: ListPurpose] = [:]
    for case .list(.create(let list, let draft)) in changes { drafts[list] = draft.purpose }
    var objections: [ATURI: any Error] = [:]
    for list in open {
      do {
        let purpose: ListPurpose?
        if let known = drafts[list] ?? lists[list]?.purpose {
          purpose = known
        } else if let reach = try await workspace.reach(of: list) {
          purpose = reach.purpose
        } else {
          objections[list] = OperationError.noSuchList(list, isOwn: false)
          continue
        }
        if purpose != .moderate {
          objections[list] = OperationError.notForModeration(list, purpose)
        }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        objections[list] = error
      }
    }
    return objections
  }

  /// Whether lists are among them.
  var concernsLists: Bool {
    self.relationships.entries.contains {
      ![.follow, .block, .mute, .profile].contains($0.kind) && !$0.kind.isOfFriends && !$0.isRecord
    }
  }

  /// Adds the most that it can cost: the changes that create everything, as if nothing existed yet.
  func add(to estimate: inout ChangeEstimate, at time: TimeSource) {
    if concernsLists { estimate.addOwnLists() }
    estimate.addCalls("com.atproto.repo.getRecord", relationships.entries.count { $0.isRecord })
    let (known, unresolved) = changesAssumingNothing(at: time)
    for change in known { estimate.addNamed(change) }
    estimate.addUnresolved(unresolved)
  }

  /// The changes that create everything, if nothing exists yet; those of accounts that are only known by their handle
  /// apart, as if they were about the account itself.
  private func changesAssumingNothing(
    at time: TimeSource
  ) -> (known: [ChangeIntent], unresolved: [ChangeIntent]) {
    let all = relationships.entries.compactMap { entry in
      var isKnown = true
      let relationship = try? entry.relationship { name in
        switch name {
        case .did(let did): return .success(did)
        case .handle:
          isKnown = false
          return .success(account.did)
        case .unreadable(let error): return .failure(error)
        }
      }.get()
      return relationship.map { (relationship: $0, isKnown: isKnown) }
    }
    let transfer = transfer(all.map(\.relationship), owning: OwnLists(), at: time)
    func changes(areKnown: Bool) -> [ChangeIntent] {
      all.filter { $0.isKnown == areKnown }.compactMap { try? change(for: $0.relationship, transfer).get() }
    }
    return (changes(areKnown: true), changes(areKnown: false))
  }

  private func transfer(
    _ relationships: [PortableRelationship], owning lists: OwnLists, at time: TimeSource
  ) -> RelationshipTransfer {
    let keys = TIDClock(time: time)
    return RelationshipTransfer(of: relationships, to: account.did, owning: lists) {
      OwnList.uri(RecordKey(tid: keys.next()), of: account.did)
    }
  }

  private func change(
    for relationship: PortableRelationship, _ transfer: RelationshipTransfer
  ) -> Result<ChangeIntent, any Error> {
    if let change = transfer.change(for: relationship, allowsFollowed: allowsFollowed) {
      return .success(change)
    }
    // Only members can lack a list.
    guard case .edge(let edge) = relationship, let list = edge.list else {
      return .failure(OperationError.importEmpty)
    }
    return .failure(OperationError.unknownListInFile(list))
  }
}

extension ChangeIntent {
  /// The change with this scope if it is a mute; otherwise unchanged.
  fileprivate func muting(_ scope: MuteScope?) -> ChangeIntent {
    if let scope, case .call(.mute(let account, _)) = self { .mute(account, scope) } else { self }
  }

  /// The list that it blocks or mutes.
  fileprivate var hiddenList: ATURI? {
    switch self {
    case .edge(let edge, let wanted): wanted.makesRecord && edge.kind == .listblock ? edge.list : nil
    case .call(.muteList(let list)): list
    default: nil
    }
  }
}

extension Friendship? {
  /// The acceptance of the request, if it is still the version that was accepted.
  fileprivate func accepting(_ key: RecordKey, of requester: DID) throws -> ChangeIntent {
    let standing = self?.askedBy ?? .unknown
    if let request = standing.request, FriendAnswer.key(accepting: request.version) != key {
      throw OperationError.requestChanged(requester)
    }
    return .friends(.accept(requester, standing))
  }
}
