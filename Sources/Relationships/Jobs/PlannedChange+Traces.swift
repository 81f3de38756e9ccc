// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension PlannedChange {
  /// Records that jobs have made, of the kind that this change would make, and that nobody of them has removed: the
  /// AppView may not show them yet (Q21). Whether one is there still, the repository knows.
  public func recordsMade(by traces: [JobTrace]) -> [RecordWrite] {
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
    _ traces: [JobTrace], recordIsThere: Bool = false, until: Datetime? = nil
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

extension JobTrace {
  /// Whether what it did is what the change wants.
  fileprivate func makes(_ change: GraphChange) -> Bool {
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
  fileprivate func endingMutes(at end: Datetime, after traces: [JobTrace]) -> ChangeStep {
    guard case .call(.mute(let account, let scope), let former) = action else { return self }
    let formerEnd = traces.last { trace in
      if case .call(.mute, _) = trace.step.action { trace.state == .done } else { false }
    }?.until
    let isOver = formerEnd.map { $0.microsecondsSinceEpoch <= end.microsecondsSinceEpoch } ?? false
    guard former == nil || isOver else { return self }
    return ChangeStep(subject: subject, action: .call(.mute(account, scope), former: .unmute(account)))
  }
}
