// SPDX-License-Identifier: Apache-2.0

/// What was found, and what was left out.
public struct PeopleFound: OutcomeOfRows {
  /// How many were left out because of a block in either direction.
  public internal(set) var blocked = 0
  /// How many were left out because they are muted.
  public internal(set) var muted = 0
  /// How many were left out because they were dismissed.
  public internal(set) var dismissed = 0
  /// How many were left out because they ask not to be recommended.
  public internal(set) var optedOut = 0
  /// How many were left out because their servers could not be asked whether they want to be recommended.
  public internal(set) var unreachable = 0
  /// How many are not shown by the AppView.
  public internal(set) var notShown = 0
  /// How many rows, after the first ``FindPeople/mostChecked``, were not asked whether they want to be recommended.
  public internal(set) var unchecked = 0
  /// Whether a server leaves out accounts with a block before it answers, without saying how many.
  public internal(set) var isHiddenByServer = false
  /// What was looked at, for ``FindPeople/Source/nearby`` and ``FindPeople/Source/recommended``.
  public internal(set) var reach: Reach?
  /// How the rows were delivered.
  public internal(set) var rows = RowsOutcome()

  public var fields: [OutputField] {
    [OutputField]([
      "rows": .integer(rows.count),
      "blocked": .integer(blocked),
      "muted": .integer(muted),
      "dismissed": .integer(dismissed),
      "optedOut": .integer(optedOut),
      "unreachable": .integer(unreachable),
      "notShown": .integer(notShown),
      "unchecked": .integer(unchecked),
      "isHiddenByServer": .bool(isHiddenByServer),
      "looked": .number(reach?.looked),
      "follows": .number(reach?.follows),
    ])
  }

  /// How much of the graph was looked at.
  public struct Reach: Sendable, Hashable {
    /// Of how many accounts the newest follows were looked at.
    public let looked: Int
    /// How many of these took a call.
    public let asked: Int
    /// How many could not be read.
    public let unknown: Int
    /// How many accounts are followed.
    public let follows: Int
  }
}
