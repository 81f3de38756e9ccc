// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

extension ProposedRequest {
  /// Creates a request from its parts.
  package init(
    _ request: ChangePlan.Request, narrowing: Narrowing = Narrowing(), steps: [ChangeStep] = [],
    changesJobs: Bool = false, refusal: ChangeRefusal? = nil
  ) {
    self.init(
      input: request.input, intent: request.intent.stored, isResolved: request.isResolved,
      until: request.until, narrowing: narrowing == Narrowing() ? nil : narrowing.stored, steps: steps,
      changesJobs: changesJobs, refusal: refusal)
  }

  /// The request, to be planned again.
  ///
  /// - Throws: `StoredIntentFault` or `SyntaxError` for what this version does not know.
  package var request: ChangePlan.Request {
    get throws {
      ChangePlan.Request(
        input, try ChangeIntent(stored: intent), isResolved: isResolved, until: until)
    }
  }
}

/// What a caller has made of a planned change, as data: it is done again when the change is planned again.
package struct Narrowing: Sendable, Hashable {
  /// Why the change is refused; nil if it is not.
  package var refusal: ChangeRefusal?
  /// Whether nothing is left to do.
  package var holds = false
  /// What was left out of the steps.
  package var leftOut: Set<PlanLine> = []
  /// Whether the ends of timed changes stay as they are.
  package var keepsEnds = false
  /// When new records say that they were made; nil for when they are.
  package var createdAt: Datetime?
  /// The accepted request that the steps act on.
  package var settles: RecordVersion?

  /// Changes nothing.
  package init() {}

  /// Finds out what a caller has made of a planned change.
  init(from planned: PlannedChange, to narrowed: PlannedChange, by account: DID) {
    keepsEnds = narrowed.keepsEnds
    settles = narrowed.steps.lazy.compactMap(\.settles).first
    guard narrowed.outcome != planned.outcome else { return }
    refusal = narrowed.refusal
    holds = narrowed.holds
    guard !narrowed.steps.isEmpty else { return }
    let lines = narrowed.steps.flatMap { $0.lines(of: account) }
    leftOut = Set(planned.steps.flatMap { $0.lines(of: account) }).subtracting(lines)
    createdAt = narrowed.creationDate.flatMap { $0 == planned.creationDate ? nil : $0 }
  }

  /// Does the same with a change that was planned again.
  func applied(to planned: PlannedChange, by account: DID, at now: Datetime) -> PlannedChange {
    if let refusal { return planned.refused(refusal) }
    var planned = holds ? planned.held : planned.leavingOut(leftOut, by: account)
    if keepsEnds { planned = planned.keepingEnds() }
    if let createdAt { planned = planned.created(at: createdAt, now: now) }
    if let settles { planned = planned.settling(settles) }
    return planned
  }
}

extension Narrowing {
  /// What was made of the change, as data.
  package var stored: DataValue {
    var fields = DataObject()
    fields["refusal"] = refusal?.stored
    if holds { fields["holds"] = true }
    if !leftOut.isEmpty { fields["leftOut"] = .array(leftOut.map(\.text).sorted().map { .string($0) }) }
    if keepsEnds { fields["keepsEnds"] = true }
    fields["createdAt"] = createdAt.map { .string($0.description) }
    fields["settles"] = settles?.value
    return .object(fields)
  }

  /// Reads what was made of a change; nothing for nil.
  ///
  /// - Throws: `StoredIntentFault` or `SyntaxError` for what this version does not know.
  package init(stored value: DataValue?) throws {
    guard let value else { return }
    refusal = try value["refusal"].map(ChangeRefusal.init(stored:))
    holds = try value.flag("holds")
    leftOut = Set(
      try value.optionalList("leftOut").map { text in
        guard let line = PlanLine(text: try text.text()) else {
          throw StoredIntentFault(description: "what is left out cannot be read")
        }
        return line
      })
    keepsEnds = try value.flag("keepsEnds")
    createdAt = try value.optionalTime("createdAt")
    settles = try value["settles"].map(RecordVersion.init(stored:))
  }
}

extension PlannedChange {
  /// When its first new record says that it was made.
  fileprivate var creationDate: Datetime? {
    let new = steps.lazy.flatMap(\.writes).first(where: \.isCreation)
    guard case .create(let value)? = new?.action else { return nil }
    return value["createdAt"]?.string.flatMap { Datetime($0) }
  }

  fileprivate func leavingOut(_ lines: Set<PlanLine>, by account: DID) -> PlannedChange {
    guard !lines.isEmpty, case .steps(let steps) = outcome else { return self }
    let rest = steps.compactMap { step -> ChangeStep? in
      guard case .write(let writes) = step.action else {
        return lines.isDisjoint(with: step.lines(of: account)) ? step : nil
      }
      let left = writes.filter { lines.isDisjoint(with: step.writing([$0]).lines(of: account)) }
      return left.isEmpty ? nil : step.writing(left)
    }
    var planned = self
    planned.outcome = rest.isEmpty ? .holds : .steps(rest)
    return planned
  }
}
