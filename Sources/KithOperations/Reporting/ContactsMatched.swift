// SPDX-License-Identifier: Apache-2.0

/// What was found of contacts.
public struct ContactsMatched: OutcomeOfRows {
  /// The number of contacts.
  public let contacts: Int
  /// How many contacts have an account with a signal.
  public internal(set) var matched = 0
  /// How many contacts have a selected account.
  public internal(set) var selected = 0
  /// How many contacts have several accounts that are as good as each other.
  public internal(set) var ambiguous = 0
  /// How many of the best accounts are followed already.
  public internal(set) var followed = 0
  /// How many contacts could not be looked for.
  public internal(set) var unknown = 0
  /// How the rows were delivered.
  public internal(set) var rows = RowsOutcome()

  public var fields: [OutputField] {
    [OutputField]([
      "rows": .integer(rows.count),
      "contacts": .integer(contacts),
      "matched": .integer(matched),
      "selected": .integer(selected),
      "ambiguous": .integer(ambiguous),
      "followed": .integer(followed),
      "unknown": .integer(unknown),
    ])
  }
}
