// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore
public import Relationships

/// A change and its plan, before anything is sent.
public struct PlannedChange: Sendable, Hashable {
  /// The intent.
  public var change: ChangeIntent
  /// What has to be done.
  package var outcome: Outcome
  /// Notes for people.
  public var notes: [ChangeNote]
  /// The new end of a timed change that an earlier job made; nil to keep it.
  package var newEnd: NewEnd?

  /// A new end for something that a job did.
  package struct NewEnd: Sendable, Hashable {
    /// The job.
    package var job: JobID
    /// The position of its item.
    package var position: Int
    /// When it is to be undone; nil if it is permanent.
    package var until: Datetime?
  }

  /// What has to be done for a change.
  package enum Outcome: Sendable, Hashable {
    /// Steps in order; never empty. More than one only for subjects with hundreds of duplicates.
    case steps([ChangeStep])
    /// Nothing: the state holds already.
    case holds
    /// The change is refused.
    indirect case refused(ChangeRefusal)
  }

  /// Creates a planned change.
  package init(_ change: ChangeIntent, _ outcome: Outcome, notes: [ChangeNote] = []) {
    self.change = change
    self.outcome = outcome
    self.notes = notes
  }

  /// Whether nothing has to be done, because the state holds already.
  public var holds: Bool { outcome == .holds }

  /// Why the change is not attempted; nil if it is, or if nothing has to be done.
  public var refusal: ChangeRefusal? {
    if case .refused(let refusal) = outcome { refusal } else { nil }
  }

  /// The steps; empty if nothing has to be done.
  package var steps: [ChangeStep] {
    if case .steps(let steps) = outcome { steps } else { [] }
  }

  /// Points of the write budget that it costs.
  public var points: Int { steps.reduce(0) { $0 + $1.points } }
}

extension PlannedChange {
  /// Keeps an unmute only if the mute has this scope; refuses it otherwise (an account has one mute: Q9).
  package func ending(only scope: MuteScope) -> PlannedChange {
    guard case .unmute = change, let step = steps.first, case .call(_, let former) = step.action else {
      return self
    }
    switch former {
    case .mute(_, scope): return self
    case .mute(_, let other): return PlannedChange(change, .refused(.mutedOtherwise(other)), notes: notes)
    default: return PlannedChange(change, .refused(.notLearned("the scope of the mute")), notes: notes)
    }
  }
}

extension ChangeRefusal.Code {
  /// The account is muted, but in another scope.
  public static let mutedOtherwise = Self(rawValue: "mutedOtherwise")
}

extension ChangeRefusal {
  static func mutedOtherwise(_ scope: MuteScope) -> ChangeRefusal {
    let what = scope == .everything ? "fully muted" : "only muted for \(scope.rawValue)"
    return ChangeRefusal(.mutedOtherwise, "the account is \(what); that mute was kept")
  }
}

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
  /// - Parameters:
  ///   - history: the history of the subject, in the order of the jobs; read before the own records were.
  ///   - recordIsThere: whether one of ``recordsMade(by:)`` exists in the repository.
  ///   - until: when the change is to be undone; nil if it is permanent.
  package func considering(
    _ history: [JobHistoryEntry], recordIsThere: Bool = false, until: Datetime? = nil
  ) -> PlannedChange {
    var planned = self
    let wanted = steps.reduce(into: Set<ChangeStep.Claim>()) { $0.formUnion($1.claims) }
    let open = history.filter(\.isOpen)
    if let same = open.last(where: { !$0.step.claims.isDisjoint(with: wanted) }) {
      planned.outcome = .refused(.awaited(same.job))
      return planned
    }
    if let other = open.last { planned.notes.append(.openJob(other.job)) }
    if recordIsThere { planned.outcome = .holds }
    switch planned.outcome {
    case .holds: planned.setEnd(until, after: history)
    case .steps(let steps):
      if let until { planned.outcome = .steps(steps.map { $0.endingMutes(at: until, after: history) }) }
    case .refused: break
    }
    return planned
  }

  /// Why a list to be created will not exist under its URI; nil if it will, or if no list is to be created.
  fileprivate var reasonListIsNotMade: (list: ATURI, reason: ChangeRefusal)? {
    guard case .list(.create(let list, _)) = change else { return nil }
    switch outcome {
    case .steps: return nil
    // Another job creates a list of that name, under its own URI.
    case .refused(let refusal): return (list, refusal.code == .awaited ? refusal : .noSuchList(list))
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
    guard entry.until != nil || until != nil else { return }
    newEnd = NewEnd(job: entry.job, position: entry.position, until: until)
    if let until {
      notes.append(.endMoved(from: entry.until, to: until))
    } else if let end = entry.until {
      notes.append(.endDropped(end))
    }
  }

  /// The edges of the records that it would create.
  private var edges: Set<RecordEdge> { Set(steps.flatMap(\.writes).compactMap(\.edge)) }
}

extension [PlannedChange] {
  /// Refuses the changes that need a list that was to be created along with them, but is not.
  func refusingWhatNeedsListsNotMade() -> [PlannedChange] {
    let missing = Dictionary(lazy.compactMap(\.reasonListIsNotMade)) { first, _ in first }
    if missing.isEmpty { return self }
    return map { planned in
      guard let reason = planned.change.list.flatMap({ missing[$0] }), !planned.steps.isEmpty else {
        return planned
      }
      return PlannedChange(planned.change, .refused(reason), notes: planned.notes)
    }
  }
}

extension JobHistoryEntry {
  /// Whether it did what the change wants.
  fileprivate func makes(_ change: ChangeIntent) -> Bool {
    switch (change, step.action) {
    case (.mute(_, let scope), .call(.mute(_, let made), _)): scope == made
    case (.follow, .write(let writes)): writes.contains { $0.collection == .follow && $0.makesRecord }
    case (.block, .write(let writes)): writes.contains { $0.collection == .block && $0.makesRecord }
    default: false
    }
  }
}

extension ChangeStep {
  /// The step of a timed mute, with the call that restores the state at its end: an unmute if the previous
  /// state is unknown, or was a mute that has expired by then.
  fileprivate func endingMutes(at end: Datetime, after history: [JobHistoryEntry]) -> ChangeStep {
    guard case .call(.mute(let account, let scope), let former) = action else { return self }
    let formerEnd = history.last { entry in
      if case .call(.mute, _) = entry.step.action { entry.state == .done } else { false }
    }?.until
    let isOver = formerEnd.map { $0.microsecondsSinceEpoch <= end.microsecondsSinceEpoch } ?? false
    guard former == nil || isOver else { return self }
    return ChangeStep(subject: subject, action: .call(.mute(account, scope), former: .unmute(account)))
  }
}
