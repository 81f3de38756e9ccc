// SPDX-License-Identifier: Apache-2.0

/// The outcome of a change that a ``RelationshipWriter`` was asked for.
public struct ChangeOutcome: Sendable, Hashable {
  /// The change that was asked for.
  public var change: ChangeIntent
  /// How it ended.
  public var ending: Ending
  /// Notes for people.
  public var notes: [ChangeNote]

  /// The ways in which a change ends well.
  public enum Ending: Sendable, Hashable {
    /// The server made the change.
    case done
    /// The state held already, or held again before anything had to be sent.
    case held
    /// A later intent about the same subject replaced it.
    case superseded
  }

  /// Creates an outcome.
  public init(_ change: ChangeIntent, _ ending: Ending, notes: [ChangeNote] = []) {
    self.change = change
    self.ending = ending
    self.notes = notes
  }
}

/// The change, how it ended, and the notes: `follow did:plc:b: done`.
extension ChangeOutcome: CustomStringConvertible {
  public var description: String {
    (["\(change): \(ending)"] + notes.map(\.description)).joined(separator: "; ")
  }
}
