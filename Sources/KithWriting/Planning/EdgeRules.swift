// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

// What differs between kinds of edges. Records of a kind without rules here are only made and deleted.

extension EdgeKind {
  /// The kind whose edge to the same account ends, in the same commit, where one of this kind is made.
  var ended: EdgeKind? { self == .block ? .follow : nil }

  /// The kind that is never made for an account together with this one: a follow excludes a block, and the reverse.
  var excluded: EdgeKind? {
    switch self {
    case .follow: .block
    case .block: .follow
    default: nil
    }
  }

  /// What the account's own records are called.
  var ownRecords: String {
    switch self {
    case .follow: "your follow records"
    case .block: "your block records"
    case .listblock: "your list block records"
    default: "your records of this edge"
    }
  }

  /// The name of an intent in the journal, in one to three words.
  func title(of wanted: EdgeChange) -> String {
    if wanted == .deduplicate { return "deduplicate" }
    switch self {
    case .block: return wanted.makesRecord ? "block" : "unblock"
    case .listblock: return wanted.makesRecord ? "block list" : "unblock list"
    case .listitem: return wanted.makesRecord ? "add to list" : "remove from list"
    case _ where FollowGraph.isLikely(collection): return wanted.makesRecord ? "follow" : "unfollow"
    default: return wanted.makesRecord ? "make edge" : "remove edge"
    }
  }

  /// The facts needed to plan an intent.
  func needs(for wanted: EdgeChange) -> Set<SubjectFacts.Part> {
    let ended = wanted.makesRecord ? ended.map(SubjectFacts.Part.edges) : nil
    return Set([.edges(self), target == .member ? .lists : nil, ended].compactMap(\.self))
  }
}

extension ChangePlanner {
  func plan(_ edge: RecordEdge, _ wanted: EdgeChange, knowing known: SubjectFacts) -> PlannedChange {
    let intent = ChangeIntent.edge(edge, wanted)
    if wanted == .deduplicate { return deduplicate(edge, intent, known) }
    if let account = edge.account, let list = edge.list {
      return plan(account, on: list, wanted, knowing: known)
    }
    guard edge.post == nil, let records = known.edges[edge.kind] else {
      return unknown(intent, edge.kind.ownRecords)
    }
    return wanted.makesRecord ? make(edge, records, intent, known) : remove(edge, records, intent, known)
  }

  private func make(
    _ edge: RecordEdge, _ records: [OwnRecord], _ intent: ChangeIntent, _ known: SubjectFacts
  ) -> PlannedChange {
    // The new record comes first: follows that do not fit into the commit of a block are hidden by it from the start.
    var writes = edge.kind.isUnique && !records.isEmpty ? [] : [create(edge)]
    if let ended = edge.kind.ended {
      guard let others = known.edges[ended] else { return unknown(intent, ended.ownRecords) }
      writes += others.map { delete($0, ended.collection) }
    }
    let outcome = writes.isEmpty ? .holds : commits(ChangeStep.Subject(edge), writes)
    return PlannedChange(intent, outcome, notes: notes(besides: edge.kind, known))
  }

  /// What people should know of the relationship with an account that they follow or block.
  private func notes(besides kind: EdgeKind, _ known: SubjectFacts) -> [ChangeNote] {
    var notes: [ChangeNote] = []
    switch kind {
    case .follow:
      if known.relationship?.isBlocking == true { notes.append(.youBlockIt) }
      if known.relationship?.isBlockedBy == true { notes.append(.itBlocksYou) }
    case .block:
      if known.relationship?.isFollowedBy == true { notes.append(.followerStays) }
      if let list = known.relationship?.listThatBlocks { notes.append(.alsoBlockedByList(list)) }
    default: return []
    }
    return known.relationshipNotLearned ? notes + [.relationshipNotLearned] : notes
  }

  private func remove(
    _ edge: RecordEdge, _ records: [OwnRecord], _ intent: ChangeIntent, _ known: SubjectFacts
  ) -> PlannedChange {
    let list = edge.kind == .block ? known.relationship?.listThatBlocks : nil
    if records.isEmpty {
      if let list { return PlannedChange(intent, .refused(.blockedByList(list, of: account))) }
      return PlannedChange(intent, .holds, notes: notes(withoutRecordOf: edge.kind, known))
    }
    var notes = edge.kind.isUnique ? duplicates(records) : []
    if edge.kind == .block {
      notes.append(.followsStayGone)
      if let list { notes.append(.blockedByList(list, of: account)) }
      if known.relationship == nil { notes.append(.listsNotLearned) }
    }
    let writes = records.map { delete($0, edge.collection) }
    return PlannedChange(intent, commits(ChangeStep.Subject(edge), writes), notes: notes)
  }

  private func notes(withoutRecordOf kind: EdgeKind, _ known: SubjectFacts) -> [ChangeNote] {
    switch kind {
    case .follow: ghosts(known.relationship?.following, .follow)
    case .block: known.relationship.map { ghosts($0.blocking, .block) } ?? [.listsNotLearned]
    default: []
    }
  }

  /// Returns a note for an edge that an AppView shows but the repository does not have (Q20).
  private func ghosts(_ edge: ATURI?, _ collection: NSID) -> [ChangeNote] {
    guard let edge, edge.collection == collection else { return [] }
    return [.ghost(edge)]
  }

  // MARK: Duplicates

  private func deduplicate(
    _ edge: RecordEdge, _ intent: ChangeIntent, _ known: SubjectFacts
  ) -> PlannedChange {
    let records = edge.kind.target == .member ? known.list?.items : known.edges[edge.kind]
    guard let records else { return unknown(intent, "your records of this edge") }
    guard edge.kind.isUnique, records.count > 1, edge.post == nil else {
      return PlannedChange(intent, .holds)
    }
    // The AppView shows the first record that it saw, whose key tells since when; it does not show malformed
    // ones.
    guard let kept = records.firstIndex(where: { $0.isSound(in: edge.collection) }) else {
      return PlannedChange(intent, .refused(.noSoundRecord(of: records.count)))
    }
    let others = records[..<kept] + records[(kept + 1)...]
    return PlannedChange(
      intent, commits(ChangeStep.Subject(edge), others.map { delete($0, edge.collection) }),
      notes: [.keepsOldest(of: records.count)])
  }
}
