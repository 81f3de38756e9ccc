// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

// What jobs of the account have done to the subject of a change, or are about to do.

extension PlannedChange {
  /// Returns the records that jobs created, of the kind that this change would create, and have not deleted.
  /// The AppView may not show them yet (Q21). Only the repository knows whether they still exist.
  package func recordsMade(by history: [JobHistoryEntry]) -> [RecordWrite] {
    let wanted = edges
    var made: [RecordName: (place: Int, write: RecordWrite)] = [:]
    for (place, write) in history.filter({ $0.state == .done }).flatMap(\.step.writes).enumerated() {
      switch write.action {
      case .create: if let edge = write.edge, wanted.contains(edge) { made[write.name] = (place, write) }
      case .delete: made[write.name] = nil
      case .update: break
      }
    }
    return made.values.sorted { $0.place < $1.place }.map(\.write)
  }

  /// Returns the change adjusted for what jobs of the account have done to its subject, or are about to do.
  ///
  /// Pending steps that would end what is wanted are withdrawn. If that is impossible, the change is refused.
  /// - Parameters:
  ///   - history: the history of the subject, in the order of the jobs; read before the own records were.
  ///   - recordIsThere: whether one of ``recordsMade(by:)`` exists in the repository.
  ///   - until: when the change is to be undone; nil if it is permanent.
  package func considering(
    _ history: [JobHistoryEntry], recordIsThere: Bool = false, until: Datetime? = nil
  ) -> PlannedChange {
    var planned = self
    let open = history.filter(\.isOpen)
    let contrary = open.filter { $0.ends(change) }
    let others = open.filter { !$0.ends(change) }
    if refusal == nil, let obstacle = contrary.last(where: { !$0.canBeWithdrawn }) {
      planned.outcome = .refused(
        obstacle.state == .inDoubt ? .unsettled(obstacle.job) : .contested(obstacle.job))
      return planned
    }
    if let rival = rival(among: others) {
      planned.outcome = .refused(rival.doesTheSame ? .awaited(rival.job) : .contested(rival.job))
      if rival.doesTheSame {
        planned.moveEnd(of: others.last { $0.job == rival.job && $0.makes(change) }, to: until)
      }
      return planned
    }
    if let other = others.last { planned.notes.append(.openJob(other.job)) }
    if refusal == nil { planned.withdraw(contrary) }
    if recordIsThere { planned.outcome = .holds }
    if case .friends(.decline) = change, let decline = planned.onlyDecline, history.declines(decline.request)
    {
      planned.outcome = .holds
    }
    switch planned.outcome {
    case .holds: planned.setEnd(until, after: history)
    case .steps(let steps):
      if let note = planned.repetition(of: history) { planned.notes.append(note) }
      if let until { planned.outcome = .steps(steps.map { $0.endingMutes(at: until, after: history) }) }
    case .refused: break
    }
    return planned
  }

  /// Returns a job that is about to write what this change would, and whether it does all of it alike.
  ///
  /// A deletion may be planned twice, because the second finds nothing; only while it is in doubt, its outcome has
  /// to be known first.
  private func rival(among open: [JobHistoryEntry]) -> (job: JobID, doesTheSame: Bool)? {
    let wanted = steps.results
    for job in Set(open.map(\.job)).sorted(by: >) {
      let entries = open.filter { $0.job == job }
      let all = entries.map(\.step).results
      let inDoubt = entries.filter { $0.state == .inDoubt }.map(\.step).results
      let overlaps = wanted.contains { claim, result in (result == .deleted ? inDoubt : all)[claim] != nil }
      if overlaps { return (job, wanted.allSatisfy { all[$0] == $1 }) }
    }
    return nil
  }

  private mutating func withdraw(_ contrary: [JobHistoryEntry]) {
    for entry in contrary { withdrawals[entry.job, default: []].insert(entry.position) }
    for job in withdrawals.keys.sorted() { notes.append(.withdrawn(job)) }
  }

  /// Why a list to be created will not exist under its URI; nil if it will, or if no list is to be created.
  fileprivate var reasonListIsNotMade: (list: ATURI, reason: ChangeRefusal)? {
    guard case .list(.create(let list, _)) = change else { return nil }
    switch outcome {
    case .steps: return nil
    case .refused(let refusal): return (list, refusal.job.map { .needsList(of: $0) } ?? .noSuchList(list))
    case .holds:
      return notes.contains { $0.code == .listIsThere && $0 != .listIsThere(list) }
        ? (list, .noSuchList(list)) : nil
    }
  }

  /// Gives the existing result of a job the end that is wanted now, or none.
  private mutating func setEnd(_ until: Datetime?, after history: [JobHistoryEntry]) {
    guard let entry = history.last(where: { $0.state == .done && $0.makes(change) }) else {
      if until != nil { notes.append(.keepsItsEnd) }
      return
    }
    moveEnd(of: entry, to: until)
  }

  /// Gives what a job does the end that is wanted now, or none.
  private mutating func moveEnd(of entry: JobHistoryEntry?, to until: Datetime?) {
    guard let entry, entry.until != nil || until != nil else { return }
    if keepsEnds {
      if let end = entry.until { notes.append(.endKept(end)) }
      return
    }
    if let until, until == entry.until { return }
    let change = EndChange(job: entry.job, position: entry.position, until: until, former: entry.until)
    outcome = .steps([ChangeStep(subject: entry.step.subject, action: .end(change))])
    if let until {
      notes.append(.endMoved(from: entry.until, to: until))
    } else if let end = entry.until {
      notes.append(.endDropped(end))
    }
  }

  /// The decline that is all that is left to do; nil if there is more, or something else.
  private var onlyDecline: Decline? { steps.count == 1 ? steps[0].decline : nil }

  /// The edges of the records that it would create.
  private var edges: Set<RecordEdge> { Set(steps.flatMap(\.writes).compactMap(\.edge)) }
}

extension [JobHistoryEntry] {
  /// Whether the last word about a version of a request is that it is declined.
  package func declines(_ request: RecordVersion) -> Bool {
    let declines = filter { $0.state == .done }.compactMap(\.step.decline).filter { $0.request == request }
    return declines.last.map { !$0.isTakenBack } ?? false
  }

  /// The records of likes and reposts that they have made and not deleted.
  var reactionsMade: Set<RecordName> {
    var made: Set<RecordName> = []
    for write in filter({ $0.state == .done }).flatMap(\.step.writes)
    where EdgeKind(of: write.collection)?.target == .post {
      if write.makesRecord { made.insert(write.name) } else { made.remove(write.name) }
    }
    return made
  }
}

extension [PlannedChange] {
  /// Refuses the changes that need a list that was to be created along with them, but is not.
  func refusingWhatNeedsListsNotMade() -> [PlannedChange] {
    let missing = Dictionary(lazy.compactMap(\.reasonListIsNotMade)) { first, _ in first }
    if missing.isEmpty { return self }
    return map { planned in
      guard let reason = planned.change.list.flatMap({ missing[$0] }), !planned.steps.isEmpty,
        !planned.change.createsList
      else { return planned }
      return PlannedChange(planned.change, .refused(reason), notes: planned.notes)
    }
  }
}

extension JobHistoryEntry {
  /// Whether it did what the change wants.
  func makes(_ change: ChangeIntent) -> Bool {
    switch (change, step.action) {
    case (.call(.mute(_, let scope)), .call(.mute(_, let made), _)): scope == made
    case (.edge(let edge, let wanted), .write): wanted.makesRecord && makes(edge)
    case (.posts(.react(let reaction, _, _)), .write): creates(in: reaction.collection)
    default: false
    }
  }

  /// Whether it would end what the change wants.
  func ends(_ change: ChangeIntent) -> Bool {
    switch change {
    case .edge(_, .deduplicate), .list(.delete), .list(.clear), .friends(.policy): false
    case .edge(let edge, .remove): makes(edge)
    case .edge(let edge, .make), .edge(let edge, .makeAlthoughFollowed):
      deletes(edge) || edge.kind.ended.map { creates(in: $0.collection) } == true
    case .call(let call): step.call.map { $0 != call } ?? false
    case .friends(.request): deletes(in: FriendRequest.collection)
    case .friends(.cancel): creates(in: FriendRequest.collection)
    case .friends(.accept): deletes(in: FriendAnswer.collection)
    case .friends(.decline), .friends(.takeBack): creates(in: FriendAnswer.collection)
    case .friends(.remove): creates(in: FriendRequest.collection) || creates(in: FriendAnswer.collection)
    case .posts(.delete), .profile, .records(.make): false
    case .records(.put(let record, let fields)):
      step.writes.contains {
        $0.name == record.recordName && $0.newValue != .object(fields.typed($0.collection))
      }
    case .records(.delete(let record)):
      step.writes.contains { $0.name == record.recordName && $0.makesRecord }
    case .posts(.react(let reaction, _, _)): deletes(in: reaction.collection)
    case .posts(.takeBack(let reaction, _, _)): creates(in: reaction.collection)
    case .list(.create): deletes(in: .list)
    case .list(.edit(let list, let edit)): deletes(list) || changes(list, against: edit)
    }
  }

  /// Whether it can be cancelled by itself: it has not begun, and is not part of a change of a whole list.
  var canBeWithdrawn: Bool { state == .pending && !step.writes.contains { $0.collection == .list } }

  private func creates(in collection: NSID) -> Bool {
    step.writes.contains { $0.collection == collection && $0.makesRecord }
  }

  private func deletes(in collection: NSID) -> Bool {
    step.writes.contains { $0.collection == collection && !$0.makesRecord }
  }

  private func makes(_ edge: RecordEdge) -> Bool {
    step.writes.contains { $0.collection == edge.collection && $0.makesRecord && $0.edge ?? edge == edge }
  }

  /// Whether it deletes a record of the edge, or one that may be, or the list that the edge goes along with.
  private func deletes(_ edge: RecordEdge) -> Bool {
    let isDeleted = step.writes.contains { write in
      guard case .delete(let former) = write.action, write.collection == edge.collection else { return false }
      return former.flatMap { RecordEdge($0, in: edge.collection) } ?? edge == edge
    }
    return isDeleted || edge.kind.target == .member && edge.list.map(deletes) == true
  }

  private func deletes(_ list: ATURI) -> Bool {
    step.writes.contains { $0.collection == .list && !$0.makesRecord && $0.rkey == list.recordKey }
  }

  private func changes(_ list: ATURI, against edit: ListEdit) -> Bool {
    step.writes.contains { write in
      guard case .update(let value, _) = write.action, write.collection == .list, write.rkey == list.recordKey
      else { return false }
      return !edit.isMet(by: value)
    }
  }
}

extension ListEdit {
  /// Whether the record of a list already says this.
  fileprivate func isMet(by value: DataValue) -> Bool {
    let fields = value.object ?? [:]
    func says(_ wanted: String?, _ field: String) -> Bool {
      wanted.map { $0 == fields[field]?.string ?? "" } ?? true
    }
    return says(name, "name") && says(description, "description")
  }
}

extension ChangeIntent {
  /// The records of the reaction that jobs have made and not deleted: the AppView may not show them yet (Q21). Only the
  /// repository knows whether they still exist.
  func reactionsMade(by history: [JobHistoryEntry]) -> Set<RecordName> {
    guard case .posts(let change) = self, let collection = change.reaction?.collection else { return [] }
    return history.reactionsMade.filter { $0.collection == collection }
  }

  /// Whether it creates a list.
  var createsList: Bool { if case .list(.create) = self { true } else { false } }
}

extension ChangeStep {
  /// The step of a timed mute, with the call that restores the state at its end: an unmute if the previous
  /// state is unknown, or was a mute that has expired by then.
  fileprivate func endingMutes(at end: Datetime, after history: [JobHistoryEntry]) -> ChangeStep {
    guard case .call(.mute(let account, let scope), let former) = action else { return self }
    let formerEnd = history.last { entry in
      if case .call(.mute, _) = entry.step.action { entry.state == .done } else { false }
    }?.until
    let isOver = formerEnd.map { $0.instant <= end.instant } ?? false
    guard former == nil || isOver else { return self }
    return ChangeStep(subject: subject, action: .call(.mute(account, scope), former: .unmute(account)))
  }
}
