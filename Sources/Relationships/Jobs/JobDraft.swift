// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What a new job is to be.
public struct JobDraft: Sendable, Hashable {
  /// Whose records it changes.
  public var account: DID
  /// What it does: `follow`.
  public var title: String
  /// When it began to be found out what its items take, which they are as of; nil for when it is written down.
  public var plannedAt: Datetime?
  /// When what it did is to be undone again; nil where it is to last.
  public var until: Datetime?
  /// The job that it undoes, where it does.
  public var undoes: JobID?

  /// Puts a draft together.
  public init(
    account: DID, title: String, plannedAt: Datetime? = nil, until: Datetime? = nil, undoes: JobID? = nil
  ) {
    self.account = account
    self.title = title
    self.plannedAt = plannedAt
    self.until = until
    self.undoes = undoes
  }
}
