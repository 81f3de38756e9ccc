// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension Sandbox {
  /// How the PDS takes changes, and how soon the AppView knows of them.
  public struct Writing: Sendable, Hashable {
    /// Whose manners the PDS has.
    public var dialect: Dialect
    /// How long an access token is good for.
    public var accessLifetime: Duration
    /// Points that an account may write in an hour: 3 for a create, 2 for an update, 1 for a delete.
    public var pointsPerHour: Int
    /// Points that an account may write in a day.
    public var pointsPerDay: Int
    /// Most writes of one `applyWrites`.
    public var mostWrites: Int
    /// Accounts that sign in with a code by mail besides their password; it is always ``signInCode``.
    public var accountsWithCode: Set<Handle>
    /// How long after a commit the AppView has indexed it, by ``Configuration/wall`` (Q21).
    public var lag: Duration

    /// The defaults are those of the reference PDS, with an AppView that is never late.
    public init(
      dialect: Dialect = .reference, accessLifetime: Duration = .seconds(7_200),
      pointsPerHour: Int = 5_000, pointsPerDay: Int = 35_000, mostWrites: Int = 200,
      accountsWithCode: Set<Handle> = [], lag: Duration = .zero
    ) {
      self.dialect = dialect
      self.accessLifetime = accessLifetime
      self.pointsPerHour = pointsPerHour
      self.pointsPerDay = pointsPerDay
      self.mostWrites = mostWrites
      self.accountsWithCode = accountsWithCode
      self.lag = lag
    }

    /// The code that comes by mail, as it were.
    public static let signInCode = "ABCDE-23456"
  }

  /// The manners of a PDS, in the few things in which those of the real network differ.
  public enum Dialect: String, Sendable, Hashable, CaseIterable {
    /// As Bluesky's own.
    case reference
    /// As a small one seen in the wild: errors in plain text, no validation, 400 where a record is there
    /// already or is missing, DIDs only where something is written, keys that collide.
    case lenient
    /// As arroba: writes over existing records, lists the oldest first with pages that overlap, knows no swaps.
    case arroba
  }
}
