// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// How the PDS accepts changes, and how soon the AppView indexes them.
package struct SandboxWriting: Sendable, Hashable {
  /// The dialect of the PDS.
  package var dialect: SandboxDialect
  /// The lifetime of an access token.
  package var accessLifetime: Duration
  /// Points that an account may spend per hour: 3 for a create, 2 for an update, 1 for a delete.
  package var pointsPerHour: Int
  /// Points that an account may spend per day.
  package var pointsPerDay: Int
  /// The most writes in one `applyWrites`.
  package var mostWrites: Int
  /// Accounts that need a code sent by email to sign in; it is always ``signInCode``.
  package var accountsWithCode: Set<Handle>
  /// The delay until the AppView has indexed a commit, by ``Sandbox/Configuration/wall`` (Q21).
  package var lag: Duration
  /// Accounts that the AppView never indexes, although their documents and repositories are fine: it shows
  /// neither them nor what is in their repositories.
  package var unindexed: Set<Handle>
  /// What becomes of the writes of an `applyWrites`.
  package var acknowledgement: SandboxAcknowledgement

  /// What the cursors of the PDS are.
  package var cursors: SandboxCursors
  /// Whether the PDS tells the latest commit of a repository.
  package var tellsLatestCommit: Bool

  /// Whether the PDS ignores the keys that clients choose for new records.
  package var choosesKeys: Bool

  /// Creates a configuration; the defaults are those of the reference PDS, with an AppView that has no lag.
  package init(
    dialect: SandboxDialect = .reference, accessLifetime: Duration = .seconds(7_200),
    pointsPerHour: Int = 5_000, pointsPerDay: Int = 35_000, mostWrites: Int = 200,
    accountsWithCode: Set<Handle> = [], lag: Duration = .zero, unindexed: Set<Handle> = [],
    acknowledgement: SandboxAcknowledgement = .full, cursors: SandboxCursors = .keys,
    tellsLatestCommit: Bool = true, choosesKeys: Bool = false
  ) {
    self.dialect = dialect
    self.accessLifetime = accessLifetime
    self.pointsPerHour = pointsPerHour
    self.pointsPerDay = pointsPerDay
    self.mostWrites = mostWrites
    self.accountsWithCode = accountsWithCode
    self.lag = lag
    self.unindexed = unindexed
    self.acknowledgement = acknowledgement
    self.cursors = cursors
    self.tellsLatestCommit = tellsLatestCommit
    self.choosesKeys = choosesKeys
  }

  /// The code that would be sent by email.
  package static let signInCode = "ABCDE-23456"
}

/// What the cursors of `listRecords` are.
package enum SandboxCursors: Sendable, Hashable, CaseIterable {
  /// The key of the last record of a page: any key will do.
  case keys
  /// A text that only this server understands.
  case opaque

  private static let mark = "page-after-"

  func written(_ key: String) -> String { self == .keys ? key : Self.mark + key }

  /// - Throws: ``XRPCFault`` for a cursor that is not one of this server's.
  func read(_ cursor: String?) throws(XRPCFault) -> String? {
    guard self == .opaque, let cursor else { return cursor }
    guard cursor.hasPrefix(Self.mark) else { throw .invalidRequest("unknown cursor") }
    return String(cursor.dropFirst(Self.mark.count))
  }
}

/// What a PDS does with an `applyWrites`, and what it says about it. Every answer is a success.
package enum SandboxAcknowledgement: String, Sendable, Hashable, CaseIterable {
  /// It makes the commit and returns it, with a result for each write.
  case full
  /// It makes the commit and answers with an empty object, as older servers do.
  case missing
  /// It writes nothing and answers with an empty object.
  case nothingWritten = "nothing-written"
  /// It writes nothing and answers with an empty list of results.
  case nothingWrittenNoResults = "nothing-written-no-results"
}
