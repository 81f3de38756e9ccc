// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import Relationships

/// A change and what it takes, before anything is sent.
public struct PlannedChange: Sendable, Hashable {
  /// What is wanted.
  public var change: ChangeIntent
  /// What it takes.
  public var outcome: Outcome
  /// What people should know about it.
  public var notes: [ChangeNote]
  /// What holds by an earlier job and gets another end, or none.
  public var newEnd: NewEnd?

  /// Another end of what a job did.
  public struct NewEnd: Sendable, Hashable {
    /// The job.
    public var job: JobID
    /// The place of its item.
    public var position: Int
    /// When it is to be undone; nil where it is to last.
    public var until: Datetime?
  }

  /// What a change takes.
  public enum Outcome: Sendable, Hashable {
    /// Steps to be done in their order; never empty, one but for subjects with hundreds of duplicates.
    case steps([ChangeStep])
    /// Nothing: it holds already.
    case holds
    /// It is not to be done.
    case refused(ChangeRefusal)
  }

  /// Puts a change together.
  public init(_ change: ChangeIntent, _ outcome: Outcome, notes: [ChangeNote] = []) {
    self.change = change
    self.outcome = outcome
    self.notes = notes
  }

  /// What is to be done; empty where nothing is.
  public var steps: [ChangeStep] {
    if case .steps(let steps) = outcome { steps } else { [] }
  }

  /// Points of the write budget that it costs.
  public var points: Int { steps.reduce(0) { $0 + $1.points } }
}

extension PlannedChange {
  /// The end of a mute, where it is one of that scope; another one is left alone (an account has one mute: Q9).
  public func ending(only scope: MuteScope) -> PlannedChange {
    guard case .unmute = change, let step = steps.first, case .call(_, let former) = step.action else {
      return self
    }
    switch former {
    case .mute(_, scope): return self
    case .mute(_, let other): return PlannedChange(change, .refused(.mutedOtherwise(other)), notes: notes)
    default: return PlannedChange(change, .refused(.notLearned("how it is muted")), notes: notes)
    }
  }
}

extension ChangeRefusal.Code {
  /// The account is muted, but in another scope.
  public static let mutedOtherwise = Self(rawValue: "mutedOtherwise")
}

extension ChangeRefusal {
  static func mutedOtherwise(_ scope: MuteScope) -> ChangeRefusal {
    let what = scope == .everything ? "muted altogether" : "muted for its \(scope.rawValue)"
    return ChangeRefusal(.mutedOtherwise, "it is \(what), which is not the mute that was to end")
  }
}

extension PlannedChange {
  /// Records that jobs have made, of the kind that this change would make, and that nobody of them has removed: the
  /// AppView may not show them yet (Q21). Whether one is there still, the repository knows.
  public func recordsMade(by history: [JobHistoryEntry]) -> [RecordWrite] {
    let wanted = edges
    var made: [RecordWrite] = []
    for write in history.filter({ $0.state == .done }).flatMap(\.step.writes) {
      switch write.action {
      case .create: if let edge = write.edge, wanted.contains(edge) { made.append(write) }
      case .delete: made.removeAll { $0.collection == write.collection && $0.rkey == write.rkey }
      case .update: break
      }
    }
    return made
  }

  /// The change in the light of what jobs of the account have done to its subject, or are about to do.
  ///
  /// - Parameters:
  ///   - history: that of the subject, in the order of the jobs; read before the own records were.
  ///   - recordIsThere: whether one of ``recordsMade(by:)`` stands in the repository.
  ///   - until: when the change is to be taken back; nil where it is to last.
  public func considering(
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

  /// Why a list that was to be made will not be there under its address; nil where it will, or no list was to be made.
  fileprivate var reasonListIsNotMade: (list: ATURI, reason: ChangeRefusal)? {
    guard case .list(.create(let list, _)) = change else { return nil }
    switch outcome {
    case .steps: return nil
    // Another job makes one of that name, under an address of its own.
    case .refused(let refusal): return (list, refusal.code == .awaited ? refusal : .noSuchList(list))
    case .holds:
      return notes.contains { $0.code == .listIsThere && $0 != .listIsThere(list) }
        ? (list, .noSuchList(list)) : nil
    }
  }

  /// What holds by a job takes the end that is wanted now: another one, or none.
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

  /// What the records say that it would make.
  private var edges: Set<RecordEdge> { Set(steps.flatMap(\.writes).compactMap(\.edge)) }
}

extension [PlannedChange] {
  /// The changes without those that need a list which is to be made with them, and is not.
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
  /// Whether what it did is what the change wants.
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
  /// The step of a mute that ends, with what is to be then: nothing, where it is not known what was before, and
  /// where that was a mute which has ended by then.
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
