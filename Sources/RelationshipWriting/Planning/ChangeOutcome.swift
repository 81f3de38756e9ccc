// SPDX-License-Identifier: Apache-2.0

/// What became of a change that somebody asked a ``RelationshipWriter`` for.
public struct ChangeOutcome: Sendable, Hashable {
  /// What was asked for.
  public var change: ChangeIntent
  /// What became of it.
  public var ending: Ending
  /// What people should know about it.
  public var notes: [ChangeNote]

  /// The ways in which a change ends well.
  public enum Ending: Sendable, Hashable {
    /// The server has made it so.
    case done
    /// It was so already, or was so again before anything had to be sent.
    case held
    /// A later wish about the same took its place.
    case superseded
  }

  /// Puts an outcome together.
  public init(_ change: ChangeIntent, _ ending: Ending, notes: [ChangeNote] = []) {
    self.change = change
    self.ending = ending
    self.notes = notes
  }
}
