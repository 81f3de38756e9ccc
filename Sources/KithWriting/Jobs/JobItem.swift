// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// One step of a job, with the input that it came from and its state.
public struct JobItem: Sendable, Hashable {
  /// The position in the job, starting at 0; items are sent in this order.
  public var position: Int
  /// What was typed or read from a file.
  public var input: String
  /// The step, with all record keys chosen.
  package var step: ChangeStep
  /// The state.
  public var state: JobItemState
  /// For an undo: the position of the undone item in its own job.
  package var origin: Int?
  /// When it is to be undone; nil if it is permanent.
  public var until: Datetime?
  /// The item that it depends on; it is not sent without it.
  package var dependency: Dependency?
  /// Whether the answer to a commit of it was ever lost. If so, what exists may be its own work.
  package var wasInDoubt: Bool

  /// Another item of the same job, as of when the item was read.
  package struct Dependency: Sendable, Hashable {
    /// Its position, which is lower than that of the item that depends on it.
    package var position: Int
    /// Its state.
    package var state: JobItemState.Kind

    /// Creates a dependency.
    package init(position: Int, state: JobItemState.Kind) {
      self.position = position
      self.state = state
    }

    /// Whether it will not be done in this run.
    var isLost: Bool { state == .failed || state == .cancelled }
  }

  /// Creates an item.
  package init(
    position: Int, input: String, step: ChangeStep, state: JobItemState = .pending, origin: Int? = nil,
    until: Datetime? = nil, dependency: Dependency? = nil, wasInDoubt: Bool = false
  ) {
    self.position = position
    self.input = input
    self.step = step
    self.state = state
    self.origin = origin
    self.until = until
    self.dependency = dependency
    self.wasInDoubt = wasInDoubt
  }
}

extension JobItem {
  /// Whether it was never sent and is to be undone already.
  package func isTooLate(at now: Instant) -> Bool {
    guard state == .pending, !wasInDoubt, let until else { return false }
    return until.instant <= now
  }
}

/// The description of a new item of a job.
package struct JobItemDraft: Sendable, Hashable {
  /// What was typed or read from a file.
  package var input: String
  /// The step, with all record keys chosen.
  package var step: ChangeStep
  /// Why it is skipped from the start; nil if it is to be done.
  package var skipped: String?
  /// For an undo: the position of the undone item in its own job.
  package var origin: Int?
  /// The position of an earlier item of the same job that it depends on.
  package var dependsOn: Int?
  /// When it is to be undone; nil if it ends with its job.
  package var until: Datetime?

  /// Creates a draft.
  package init(
    input: String, step: ChangeStep, skipped: String? = nil, origin: Int? = nil, dependsOn: Int? = nil,
    until: Datetime? = nil
  ) {
    self.input = input
    self.step = step
    self.skipped = skipped
    self.origin = origin
    self.dependsOn = dependsOn
    self.until = until
  }

  /// When it is to be undone, in a job that ends then. What changes an end has none itself.
  package func end(in job: Datetime?) -> Datetime? { step.end == nil ? until ?? job : nil }
}

extension [JobItemDraft] {
  /// The kinds of the changes that are to be made.
  package var kinds: Set<ChangeKind> { Set(lazy.filter { $0.skipped == nil }.compactMap(\.step.kind)) }
}

/// The state of one item of a job.
public enum JobItemState: Sendable, Hashable {
  /// Not sent.
  case pending
  /// Sent, or about to be, with the commit of this number within its job; the outcome is unknown.
  case inDoubt(commit: Int)
  /// The server accepted it.
  case done
  /// Nothing had to be done, or it was skipped, for this reason.
  case skipped(String)
  /// The server refused it, for this reason.
  case failed(String)
  /// Cancelled before it was sent.
  case cancelled
  /// It was done, and a later job undid it.
  case undone

  /// The state without its associated values.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case pending, inDoubt, done, skipped, failed, cancelled, undone
  }

  /// The state without its associated values.
  public var kind: Kind {
    switch self {
    case .pending: .pending
    case .inDoubt: .inDoubt
    case .done: .done
    case .skipped: .skipped
    case .failed: .failed
    case .cancelled: .cancelled
    case .undone: .undone
    }
  }

  /// Why it was skipped or failed.
  public var reason: String? {
    switch self {
    case .skipped(let reason), .failed(let reason): reason
    default: nil
    }
  }
}
