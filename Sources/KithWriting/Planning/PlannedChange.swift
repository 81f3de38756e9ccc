// SPDX-License-Identifier: Apache-2.0

package import KithCore
public import KithRelationships

/// A change and its plan, before anything is sent.
public struct PlannedChange: Sendable, Hashable {
  /// The intent.
  public var change: ChangeIntent
  /// What has to be done.
  package var outcome: Outcome
  /// Notes for people.
  public var notes: [ChangeNote]
  /// Whether a timed change that an earlier job made keeps its end, because nothing is said about ends.
  package var keepsEnds = false
  /// Pending items of other jobs that would end what is wanted, and are therefore cancelled, by job.
  package var withdrawals: [JobID: Set<Int>] = [:]

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

  /// The same change, which leaves the ends of timed changes alone.
  package func keepingEnds() -> PlannedChange {
    var planned = self
    planned.keepsEnds = true
    return planned
  }

  /// The same change, whose new records say that they were made at a date: they come back into their own repository.
  ///
  /// - Parameter now: a later date is not one that a record had.
  package func created(at date: Datetime, now: Datetime) -> PlannedChange {
    guard date.instant <= now.instant, case .steps(let steps) = outcome else { return self }
    var planned = self
    planned.outcome = .steps(
      steps.map { step in
        guard case .write(let writes) = step.action else { return step }
        return step.writing(writes.map { $0.created(at: date) })
      })
    return planned
  }

  /// The same change, done because a request was accepted.
  package func settling(_ request: RecordVersion) -> PlannedChange {
    guard case .steps(let steps) = outcome else { return self }
    var planned = self
    planned.outcome = .steps(
      steps.map { ChangeStep(subject: $0.subject, action: $0.action, settles: request) })
    return planned
  }

  /// Whether nothing has to be done, because the state holds already.
  public var holds: Bool { outcome == .holds }

  /// Whether it changes what other jobs are about to do, although nothing may have to be sent.
  package var changesJobs: Bool { !withdrawals.isEmpty }

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

extension RecordWrite {
  fileprivate func created(at date: Datetime) -> RecordWrite {
    guard case .create(let value) = action, var fields = value.object else { return self }
    fields["createdAt"] = .string(date.description)
    return RecordWrite(collection: collection, rkey: rkey, action: .create(.object(fields)))
  }
}

extension PlannedChange {
  /// Keeps an unmute only if the mute has this scope; refuses it otherwise (an account has one mute: Q9).
  package func ending(only scope: MuteScope) -> PlannedChange {
    guard case .call(.unmute) = change, let step = steps.first, case .call(_, let former) = step.action else {
      return self
    }
    switch former {
    case .mute(_, scope): return self
    case .mute(_, let other): return PlannedChange(change, .refused(.mutedOtherwise(other)), notes: notes)
    default: return PlannedChange(change, .refused(.unknown("the scope of the mute")), notes: notes)
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

// What is found out besides the own records, before a change is planned.

extension PlannedChange {
  /// The change, refused.
  package func refused(_ refusal: ChangeRefusal) -> PlannedChange {
    PlannedChange(change, .refused(refusal), notes: notes)
  }

  /// The change, with nothing left to do.
  package var held: PlannedChange { PlannedChange(change, .holds, notes: notes) }
}
