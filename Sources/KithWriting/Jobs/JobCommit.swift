// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// What is sent at once: the writes of some items in one commit, or a single call.
package struct JobCommit: Sendable, Hashable {
  /// The number within the job; kept until the outcome is certain, however often it is sent.
  package let number: Int
  /// The items; never empty. A call is always alone.
  package let items: [JobItem]

  /// Creates a commit.
  package init(number: Int, items: [JobItem]) {
    self.number = number
    self.items = items
  }

  /// All writes, in order; empty for a call.
  package var writes: [RecordWrite] { items.flatMap(\.step.writes) }

  /// The call; nil if it is a commit.
  package var call: ViewerCall? {
    if case .call(let call, _) = items.first?.step.action { call } else { nil }
  }

  /// Points of the write budget that it costs.
  package var points: Int { items.reduce(0) { $0 + $1.step.points } }

  /// How many changes it makes.
  package var changes: Int { items.count }

  /// How many of them are of each kind.
  package var kinds: [ChangeKind: Int] {
    items.reduce(into: [:]) { kinds, item in
      if let kind = item.step.kind { kinds[kind, default: 0] += 1 }
    }
  }
}

/// The journal's answer to a commit that is about to be sent.
package enum CommitReservation: Sendable, Hashable {
  /// It is journaled as in doubt and its points are set aside: send it.
  case begun
  /// The job was paused or has ended, and must not continue. Nothing is journaled.
  case halted(JobState)
  /// Items at these positions were cancelled since they were read, because a later change contradicts them.
  /// Nothing is journaled.
  case withdrawn(Set<Int>)
  /// Items at these positions are to be undone already, so that it is too late to make them. Nothing is
  /// journaled.
  case expired(Set<Int>)
  /// There are not enough points, or it makes more changes than are allowed. Nothing is journaled.
  ///
  /// - left: points available now.
  /// - changes: changes allowed now.
  /// - until: when there are enough; nil if that never happens.
  case short(left: Int, changes: Int = .max, until: Instant?)
  /// Other jobs of the account have a claim of these items in doubt, by position. Nothing is journaled.
  case contended([Int: JobID])
  /// Another job has done what one of the items claims since the facts were read. Nothing is journaled:
  /// compare with the repository first.
  case outdated
}

extension WriteBudget {
  /// Why a commit may not be made now; nil if it may. What costs no points is not held up by points.
  package func shortage(for commit: JobCommit, at now: Instant) -> CommitReservation? {
    let (left, changes) = (left(at: now), changesLeft(at: now))
    if left >= commit.points || commit.points == 0, changes >= commit.changes { return nil }
    return .short(
      left: left, changes: changes, until: opening(for: commit.points, changes: commit.changes, at: now))
  }
}

/// The outcome to journal for items, after a commit or without one.
package struct JobOutcome: Sendable, Hashable {
  /// The commit that it belongs to; nil if nothing was sent.
  package var commit: Int?
  /// Whether the commit costs points; false returns what was set aside for it.
  package var isPaid: Bool
  /// The new state of each item, by position.
  package var states: [Int: JobItemState]
  /// Whether an answer was lost for items that become pending again. If so, their own commit may have made
  /// what exists.
  package var keepsDoubt: Bool
  /// The steps of items as they were done, by position, if the server gave records keys of its own. An undo needs
  /// those.
  package var steps: [Int: ChangeStep]

  /// Creates an outcome.
  package init(
    commit: Int? = nil, isPaid: Bool = false, states: [Int: JobItemState], keepsDoubt: Bool = false,
    steps: [Int: ChangeStep] = [:]
  ) {
    self.commit = commit
    self.isPaid = isPaid
    self.states = states
    self.keepsDoubt = keepsDoubt
    self.steps = steps
  }
}
