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
    return ChangeRefusal(.mutedOtherwise, "it is \(what): unmute without --only ends that")
  }
}

extension PlannedChange {
  /// Records that jobs have made, of the kind that this change would make, and that nobody of them has removed: the
  /// AppView may not show them yet (Q21). Whether one is there still, the repository knows.
  public func recordsMade(by traces: [JobHistoryEntry]) -> [RecordWrite] {
    let wanted = edges
    var made: [RecordWrite] = []
    for write in traces.filter({ $0.state == .done }).flatMap(\.step.writes) {
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
  ///   - traces: those of the subject, in the order of their jobs; read before the own records were.
  ///   - recordIsThere: whether one of ``recordsMade(by:)`` stands in the repository.
  ///   - until: when the change is to be taken back; nil where it is to last.
  public func considering(
    _ traces: [JobHistoryEntry], recordIsThere: Bool = false, until: Datetime? = nil
  ) -> PlannedChange {
    var planned = self
    let wanted = edges
    let open = traces.filter(\.isOpen)
    if let same = open.last(where: { $0.step.writes.contains { $0.edge.map(wanted.contains) ?? false } }) {
      planned.outcome = .refused(.awaited(same.job))
      return planned
    }
    if let other = open.last { planned.notes.append(.openJob(other.job)) }
    if recordIsThere { planned.outcome = .holds }
    switch planned.outcome {
    case .holds:
      if let timed = traces.last(where: { $0.state == .done && $0.until != nil && $0.makes(change) }),
        let end = timed.until
      {
        planned.notes.append(.endsBy(timed.job, at: end))
      } else if until != nil {
        planned.notes.append(.keepsItsEnd)
      }
    case .steps(let steps):
      if let until { planned.outcome = .steps(steps.map { $0.endingMutes(at: until, after: traces) }) }
    case .refused: break
    }
    return planned
  }

  /// What the records say that it would make.
  private var edges: Set<RecordEdge> { Set(steps.flatMap(\.writes).compactMap(\.edge)) }
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
  fileprivate func endingMutes(at end: Datetime, after traces: [JobHistoryEntry]) -> ChangeStep {
    guard case .call(.mute(let account, let scope), let former) = action else { return self }
    let formerEnd = traces.last { trace in
      if case .call(.mute, _) = trace.step.action { trace.state == .done } else { false }
    }?.until
    let isOver = formerEnd.map { $0.microsecondsSinceEpoch <= end.microsecondsSinceEpoch } ?? false
    guard former == nil || isOver else { return self }
    return ChangeStep(subject: subject, action: .call(.mute(account, scope), former: .unmute(account)))
  }
}
