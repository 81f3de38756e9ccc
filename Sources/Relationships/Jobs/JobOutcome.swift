// SPDX-License-Identifier: Apache-2.0

/// What is to be written down of items: after a commit, or without one.
public struct JobOutcome: Sendable, Hashable {
  /// The commit that it is the outcome of; nil where nothing was sent.
  public var commit: Int?
  /// Whether the commit costs points; false gives back what was set aside for it.
  public var isPaid: Bool
  /// The new state of each item, by position.
  public var states: [Int: JobItemState]

  /// Puts an outcome together.
  public init(commit: Int? = nil, isPaid: Bool = false, states: [Int: JobItemState]) {
    self.commit = commit
    self.isPaid = isPaid
    self.states = states
  }
}
