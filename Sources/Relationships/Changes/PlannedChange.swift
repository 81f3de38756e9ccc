// SPDX-License-Identifier: Apache-2.0

/// A change and what it takes, before anything is sent.
public struct PlannedChange: Sendable, Hashable {
  /// What is wanted.
  public var change: GraphChange
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
  public init(_ change: GraphChange, _ outcome: Outcome, notes: [ChangeNote] = []) {
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
