// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A bulk change, journaled, that survives any crash.
public struct Job: Sendable, Hashable {
  /// Its number.
  public var id: JobID
  /// Whose records it changes.
  public var account: DID
  /// What it does, in the words of whoever made it: `follow`.
  public var title: String
  /// How far it has come.
  public var state: JobState
  /// When it was made.
  public var createdAt: Datetime
  /// As of when its items are: what others changed since then, they know nothing of.
  public var plannedAt: Datetime
  /// When what it did is to be undone again; nil where it is to last.
  public var until: Datetime?
  /// The job that it undoes, where it does.
  public var undoes: JobID?
  /// When it was done or given up.
  public var endedAt: Datetime?
  /// Why it stands still, where something made it; as a half-sentence.
  public var note: String?

  /// Puts a job together.
  ///
  /// - Parameter plannedAt: nil for when it was made.
  public init(
    id: JobID, account: DID, title: String, state: JobState, createdAt: Datetime,
    plannedAt: Datetime? = nil, until: Datetime? = nil, undoes: JobID? = nil, endedAt: Datetime? = nil,
    note: String? = nil
  ) {
    self.id = id
    self.account = account
    self.title = title
    self.state = state
    self.createdAt = createdAt
    self.plannedAt = plannedAt ?? createdAt
    self.until = until
    self.undoes = undoes
    self.endedAt = endedAt
    self.note = note
  }
}
