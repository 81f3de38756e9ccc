// SPDX-License-Identifier: Apache-2.0

/// What is sent at once: the writes of some items in one commit, or one call.
public struct JobCommit: Sendable, Hashable {
  /// Its number within the job; kept until its outcome is certain, however often it is sent.
  public let number: Int
  /// The items that it consists of; never empty, and where one is a call the only one.
  public let items: [JobItem]

  /// Puts a commit together.
  public init(number: Int, items: [JobItem]) {
    self.number = number
    self.items = items
  }

  /// All writes, in order; none where it is a call.
  public var writes: [RecordWrite] { items.flatMap(\.step.writes) }

  /// The call, where it is one.
  public var call: ViewerCall? {
    if case .call(let call, _) = items.first?.step.action { call } else { nil }
  }

  /// Points of the write budget that it costs.
  public var points: Int { items.reduce(0) { $0 + $1.step.points } }
}

/// The journal's answer to a commit that is about to be sent.
public enum CommitReservation: Sendable, Hashable {
  /// It is written down as in doubt, and its points are set aside: send it.
  case begun
  /// The job is not to go on: it was paused or cancelled. Nothing is written down.
  case halted(JobState)
  /// There are not points enough. Nothing is written down.
  ///
  /// - left: points that there are.
  /// - until: when there are enough, in microseconds since 1970; nil where that will never be.
  case short(left: Int, until: Int64?)
  /// Other jobs of the account have in doubt what these items claim, by place. Nothing is written down.
  case contended([Int: JobID])
  /// Another job has done what one of the items claims since the facts were read. Nothing is written down: compare
  /// with the repository first.
  case outdated
}

/// What is to be written down of items: after a commit, or without one.
public struct JobOutcome: Sendable, Hashable {
  /// The commit that it is the outcome of; nil where nothing was sent.
  public var commit: Int?
  /// Whether the commit costs points; false gives back what was set aside for it.
  public var isPaid: Bool
  /// The new state of each item, by position.
  public var states: [Int: JobItemState]
  /// Whether an answer was lost of what is pending again: then what is there may be the items' own doing.
  public var keepsDoubt: Bool

  /// Puts an outcome together.
  public init(
    commit: Int? = nil, isPaid: Bool = false, states: [Int: JobItemState], keepsDoubt: Bool = false
  ) {
    self.commit = commit
    self.isPaid = isPaid
    self.states = states
    self.keepsDoubt = keepsDoubt
  }
}
