// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension Sandbox {
  /// How the PDS accepts changes, and how soon the AppView indexes them.
  public struct Writing: Sendable, Hashable {
    /// The dialect of the PDS.
    public var dialect: Dialect
    /// The lifetime of an access token.
    public var accessLifetime: Duration
    /// Points that an account may spend per hour: 3 for a create, 2 for an update, 1 for a delete.
    public var pointsPerHour: Int
    /// Points that an account may spend per day.
    public var pointsPerDay: Int
    /// The most writes in one `applyWrites`.
    public var mostWrites: Int
    /// Accounts that need a code sent by email to sign in; it is always ``signInCode``.
    public var accountsWithCode: Set<Handle>
    /// The delay until the AppView has indexed a commit, by ``Configuration/wall`` (Q21).
    public var lag: Duration

    /// Creates a configuration; the defaults are those of the reference PDS, with an AppView that has no lag.
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

    /// The code that would be sent by email.
    public static let signInCode = "ABCDE-23456"
  }

  /// The behavior of a PDS, in the few points in which real ones differ.
  public enum Dialect: String, Sendable, Hashable, CaseIterable {
    /// As Bluesky's PDS.
    case reference
    /// As a small PDS seen in the wild: errors in plain text, no validation, 400 for an existing or a missing
    /// record, only DIDs in write requests, colliding keys.
    case lenient
    /// As arroba: overwrites existing records, lists the oldest first with overlapping pages, does not
    /// support swaps.
    case arroba
  }
}
