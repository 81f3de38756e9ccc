// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// One step of a job, with the words that asked for it and what became of it.
public struct JobItem: Sendable, Hashable {
  /// Its place in the job, from 0 on; the order in which items are sent.
  public var position: Int
  /// What was typed, or stood in a file.
  public var input: String
  /// What is done, with every key chosen.
  public var step: ChangeStep
  /// What became of it.
  public var state: JobItemState
  /// The place of the item that it takes back, in the job that its job undoes.
  public var origin: Int?
  /// When it is to be undone again; nil where it is to last.
  public var until: Datetime?
  /// The item without which it is not to be sent.
  public var dependency: Dependency?
  /// Whether the answer to a commit of it was ever lost, so that what is there may be its own doing.
  public var wasInDoubt: Bool

  /// Another item of the same job, as it stood when the item was read.
  public struct Dependency: Sendable, Hashable {
    /// Its place, which is before that of the item that depends on it.
    public var position: Int
    /// What became of it.
    public var state: JobItemState.Kind

    /// Puts a dependency together.
    public init(position: Int, state: JobItemState.Kind) {
      self.position = position
      self.state = state
    }

    /// Whether it will not be done in this run.
    var isLost: Bool { state == .failed || state == .cancelled }
  }

  /// Puts an item together.
  public init(
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

/// What a new item of a job is to be.
public struct JobItemDraft: Sendable, Hashable {
  /// What was typed, or stood in a file.
  public var input: String
  /// What is done, with every key chosen.
  public var step: ChangeStep
  /// Why it is left alone from the start; nil where it is to be done.
  public var skipped: String?
  /// The place of the item that it takes back, in the job that its job undoes.
  public var origin: Int?
  /// The place of an earlier item of the same job without which it is not to be sent.
  public var dependsOn: Int?

  /// Puts a draft together.
  public init(
    input: String, step: ChangeStep, skipped: String? = nil, origin: Int? = nil, dependsOn: Int? = nil
  ) {
    self.input = input
    self.step = step
    self.skipped = skipped
    self.origin = origin
    self.dependsOn = dependsOn
  }
}

/// What became of one item of a job.
public enum JobItemState: Sendable, Hashable {
  /// Nothing was sent of it.
  case pending
  /// It was sent or was about to be, with the commit of this number within its job; the outcome is not known.
  case inDoubt(commit: Int)
  /// The server said so.
  case done
  /// Nothing was to be done, or it was left alone, for this reason.
  case skipped(String)
  /// The server refuses it, for this reason.
  case failed(String)
  /// Given up before it was sent.
  case cancelled
  /// It was done, and a later job took it back.
  case undone

  /// The state without what belongs to the one item.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case pending, inDoubt, done, skipped, failed, cancelled, undone
  }

  /// The state without what belongs to the one item.
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
