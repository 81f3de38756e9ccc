// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons
internal import KithRelationships

/// Turns an intent and the known facts into the writes and calls that are needed; none if the state holds
/// already.
///
/// Performs no I/O. Record keys are chosen here, so that a step can be retried and looked up under the same
/// keys.
package struct ChangePlanner: Sendable {
  /// The account whose relationships change.
  package let account: DID
  let keys: TIDClock
  private let time: TimeSource

  /// Creates a planner for an account.
  ///
  /// - Parameters:
  ///   - keys: generates the record keys; use one clock for everything that is planned in a process.
  ///   - time: dates the records.
  package init(account: DID, keys: TIDClock, time: TimeSource) {
    self.account = account
    self.keys = keys
    self.time = time
  }

  /// Plans changes in order; duplicates need no steps.
  package func plan(
    _ changes: some Sequence<ChangeIntent>, knowing knowledge: (ChangeIntent) -> SubjectFacts
  ) -> [PlannedChange] {
    var earlier: Set<ChangeIntent> = []
    return plan(changes, after: &earlier, knowing: knowledge)
  }

  /// Plans changes as ``plan(_:knowing:)-(_,(ChangeIntent)->SubjectFacts)`` does, after others.
  ///
  /// - Parameter earlier: the changes planned so far.
  func plan(
    _ changes: some Sequence<ChangeIntent>, after earlier: inout Set<ChangeIntent>,
    knowing knowledge: (ChangeIntent) -> SubjectFacts
  ) -> [PlannedChange] {
    changes.map { change in
      earlier.insert(change).inserted
        ? plan(change, knowing: knowledge(change))
        : PlannedChange(change, .holds, notes: [.namedTwice])
    }
  }

  /// Plans one change.
  package func plan(_ change: ChangeIntent, knowing known: SubjectFacts) -> PlannedChange {
    if let refusal = refusal(of: change) { return PlannedChange(change, .refused(refusal)) }
    switch change {
    case .follow(let subject): return follow(subject, known)
    case .unfollow(let subject): return unfollow(subject, known)
    case .block(let subject): return block(subject, known)
    case .unblock(let subject): return unblock(subject, known)
    case .mute(let subject, let scope): return mute(subject, scope, known)
    case .unmute(let subject): return unmute(subject, known)
    case .muteList(let list):
      return callAboutList(change, list, .muteList(list), former: .unmuteList(list), holds: known.listIsMuted)
    case .unmuteList(let list):
      return callAboutList(
        change, list, .unmuteList(list), former: .muteList(list), holds: known.listIsMuted.map { !$0 })
    case .blockList(let list): return blockList(list, known)
    case .unblockList(let list): return unblockList(list, known)
    case .make(let edge): return make(edge, known)
    case .remove(let edge): return remove(edge, known)
    case .deduplicate(let edge): return deduplicate(edge, known)
    case .list(let change): return plan(change, knowing: known)
    case .friends(let change): return plan(change, knowing: known)
    case .posts(let change): return plan(change, knowing: known)
    case .profile(let edit): return plan(edit, knowing: known)
    }
  }

  /// Returns why a change is refused regardless of the facts.
  func refusal(of change: ChangeIntent) -> ChangeRefusal? {
    if change.account == account, change.isRefusedForOneself { return .oneself }
    guard let list = change.list, !list.isList else { return nil }
    // A block of a list may also be named by its own `listblock` record.
    if case .unblockList = change, list.listBlockKey(of: account) != nil { return nil }
    return .notAList(list)
  }

  // MARK: Follows

  private func follow(_ subject: DID, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.follow(subject)
    guard let follows = known.edges[.follow] else { return unknown(change, "your follow records") }
    var notes: [ChangeNote] = []
    if known.relationship?.isBlocking == true { notes.append(.youBlockIt) }
    if known.relationship?.isBlockedBy == true { notes.append(.itBlocksYou) }
    if known.relationshipNotLearned { notes.append(.relationshipNotLearned) }
    guard follows.isEmpty else { return PlannedChange(change, .holds, notes: notes) }
    return PlannedChange(change, commits(.account(subject), [create(.follow, subject)]), notes: notes)
  }

  private func unfollow(_ subject: DID, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.unfollow(subject)
    guard let follows = known.edges[.follow] else { return unknown(change, "your follow records") }
    guard !follows.isEmpty else {
      return PlannedChange(change, .holds, notes: ghosts(known.relationship?.following, .follow))
    }
    return PlannedChange(
      change, commits(.account(subject), follows.map { delete($0, .follow) }), notes: duplicates(follows))
  }

  // MARK: Blocks

  private func block(_ subject: DID, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.block(subject)
    guard let blocks = known.edges[.block] else { return unknown(change, "your block records") }
    guard let follows = known.edges[.follow] else { return unknown(change, "your follow records") }
    var notes: [ChangeNote] = []
    if known.relationship?.isFollowedBy == true { notes.append(.followerStays) }
    if let list = known.relationship?.listThatBlocks { notes.append(.alsoBlockedByList(list)) }
    if known.relationshipNotLearned { notes.append(.relationshipNotLearned) }
    // The block comes first: follows that do not fit into its commit are hidden by it from the start.
    let writes =
      (blocks.isEmpty ? [create(.block, subject)] : []) + follows.map { delete($0, .follow) }
    return PlannedChange(change, writes.isEmpty ? .holds : commits(.account(subject), writes), notes: notes)
  }

  private func unblock(_ subject: DID, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.unblock(subject)
    guard let blocks = known.edges[.block] else { return unknown(change, "your block records") }
    let list = known.relationship?.listThatBlocks
    guard !blocks.isEmpty else {
      if let list { return PlannedChange(change, .refused(.blockedByList(list, of: account))) }
      let notes = known.relationship.map { ghosts($0.blocking, .block) } ?? [.listsNotLearned]
      return PlannedChange(change, .holds, notes: notes)
    }
    var notes = duplicates(blocks) + [.followsStayGone]
    if let list { notes.append(.blockedByList(list, of: account)) }
    if known.relationship == nil { notes.append(.listsNotLearned) }
    return PlannedChange(change, commits(.account(subject), blocks.map { delete($0, .block) }), notes: notes)
  }

  private func blockList(_ list: ATURI, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.blockList(list)
    guard let records = known.edges[.listblock] else { return unknown(change, "your list block records") }
    guard records.isEmpty else { return PlannedChange(change, .holds) }
    return PlannedChange(change, commits(.list(list), [create(.listblock, list)]))
  }

  private func unblockList(_ list: ATURI, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.unblockList(list)
    guard let records = known.edges[.listblock] else { return unknown(change, "your list block records") }
    guard !records.isEmpty else { return PlannedChange(change, .holds) }
    return PlannedChange(
      change, commits(.list(list), records.map { delete($0, .listblock) }), notes: duplicates(records))
  }

  // MARK: Any kind of edge

  private func make(_ edge: RecordEdge, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.make(edge)
    guard let account = edge.account, let records = known.edges[edge.kind] else {
      return unknown(change, "your records of this edge")
    }
    if edge.kind.isUnique, !records.isEmpty { return PlannedChange(change, .holds) }
    return PlannedChange(change, commits(.account(account), [create(edge.collection, account)]))
  }

  private func remove(_ edge: RecordEdge, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.remove(edge)
    guard let account = edge.account, let records = known.edges[edge.kind] else {
      return unknown(change, "your records of this edge")
    }
    guard !records.isEmpty else { return PlannedChange(change, .holds) }
    return PlannedChange(
      change, commits(.account(account), records.map { delete($0, edge.collection) }),
      notes: edge.kind.isUnique ? duplicates(records) : [])
  }

  // MARK: Duplicates

  private func deduplicate(_ edge: RecordEdge, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.deduplicate(edge)
    let records = edge.kind.target == .member ? known.list?.items : known.edges[edge.kind]
    guard let records else { return unknown(change, "your records of this edge") }
    guard edge.kind.isUnique, records.count > 1,
      let subject = edge.account.map(ChangeStep.Subject.account) ?? edge.list.map(ChangeStep.Subject.list)
    else { return PlannedChange(change, .holds) }
    // The AppView shows the first record that it saw, whose key tells since when; it does not show malformed
    // ones.
    guard let kept = records.firstIndex(where: { $0.isSound(in: edge.collection) }) else {
      return PlannedChange(change, .refused(.noSoundRecord(of: records.count)))
    }
    let others = records[..<kept] + records[(kept + 1)...]
    return PlannedChange(
      change, commits(subject, others.map { delete($0, edge.collection) }),
      notes: [.keepsOldest(of: records.count)])
  }

  // MARK: Mutes

  private func mute(_ subject: DID, _ scope: MuteScope, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.mute(subject, scope)
    let notes = known.mute?.list.map { [ChangeNote.alsoMutedByList($0)] } ?? []
    let former: ViewerCall?
    switch known.mute?.direct {
    case .scope(scope): return PlannedChange(change, .holds, notes: notes)
    case .scope(let other): former = .mute(subject, other)
    case .absent: former = .unmute(subject)
    case .hidden, nil: former = nil
    }
    return PlannedChange(change, call(.mute(subject, scope), former, about: .account(subject)), notes: notes)
  }

  private func unmute(_ subject: DID, _ known: SubjectFacts) -> PlannedChange {
    let change = ChangeIntent.unmute(subject)
    let list = known.mute?.list
    let notes = list.map { [ChangeNote.mutedByList($0)] } ?? []
    let former: ViewerCall?
    switch known.mute?.direct {
    case .absent:
      return PlannedChange(change, list.map { .refused(.mutedByList($0)) } ?? .holds)
    case .scope(let scope): former = .mute(subject, scope)
    case .hidden, nil: former = nil
    }
    return PlannedChange(change, call(.unmute(subject), former, about: .account(subject)), notes: notes)
  }

  private func callAboutList(
    _ change: ChangeIntent, _ list: ATURI, _ wanted: ViewerCall, former: ViewerCall, holds: Bool?
  ) -> PlannedChange {
    if holds == true { return PlannedChange(change, .holds) }
    return PlannedChange(change, call(wanted, holds == nil ? nil : former, about: .list(list)))
  }

  // MARK: Parts

  var now: Datetime { Datetime(at: time.instant) }

  private func call(
    _ call: ViewerCall, _ former: ViewerCall?, about subject: ChangeStep.Subject
  ) -> PlannedChange.Outcome {
    .steps([ChangeStep(subject: subject, action: .call(call, former: former))])
  }

  func commits(_ subject: ChangeStep.Subject, _ writes: [RecordWrite]) -> PlannedChange.Outcome {
    .steps(ChangeStep.steps(subject, writes))
  }

  /// Creates an edge record with a new key.
  func create(_ collection: NSID, _ subject: some SyntaxIdentifier) -> RecordWrite {
    let value: DataValue = [
      "$type": .string(collection.description), "subject": .string(subject.description),
      "createdAt": .string(now.description),
    ]
    return RecordWrite(collection: collection, rkey: RecordKey(tid: keys.next()), action: .create(value))
  }

  func delete(_ record: OwnRecord, _ collection: NSID) -> RecordWrite {
    RecordWrite(collection: collection, rkey: record.rkey, action: .delete(former: record.value))
  }

  func duplicates(_ records: [OwnRecord]) -> [ChangeNote] {
    records.count > 1 ? [.duplicates(records.count)] : []
  }

  /// Returns a note for an edge that an AppView shows but the repository does not have (Q20).
  private func ghosts(_ edge: ATURI?, _ collection: NSID) -> [ChangeNote] {
    guard let edge, edge.collection == collection else { return [] }
    return [.ghost(edge)]
  }

  func unknown(_ change: ChangeIntent, _ what: String) -> PlannedChange {
    PlannedChange(change, .refused(.unknown(what)))
  }
}

extension OwnRecord {
  /// Whether it is valid under the lexicon of its collection.
  fileprivate func isSound(in collection: NSID) -> Bool {
    func holds<Record: EdgeRecord>(_: Record.Type) -> Bool {
      guard let record = try? value?.decode(Record.self) else { return false }
      return (try? record.validate()) != nil
    }
    return switch collection {
    case .follow: holds(App.Bsky.Graph.Follow.self)
    case .block: holds(App.Bsky.Graph.Block.self)
    case .listblock: holds(App.Bsky.Graph.Listblock.self)
    case .listitem: holds(App.Bsky.Graph.Listitem.self)
    default: value?["createdAt"]?.string.flatMap { Datetime($0) } != nil
    }
  }
}

extension ChangeIntent {
  /// Records that point to oneself may exist (Q24) and may be deleted, but not created.
  fileprivate var isRefusedForOneself: Bool {
    switch self {
    case .follow, .block, .mute, .unmute, .make, .friends(.request): true
    default: false
    }
  }
}
