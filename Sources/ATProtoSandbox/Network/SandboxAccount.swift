// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// One account of a ``SandboxNetwork``, as its profile shows it.
public struct SandboxAccount: Sendable, Hashable {
  /// The permanent name.
  public let did: DID
  /// The name that leads to the DID.
  public let handle: Handle
  /// The name that people read; may hold anything, control characters included, and is empty where there is
  /// none.
  public let displayName: String
  /// A few words about it; empty where there are none.
  public let biography: String
  /// Whether servers show it.
  public let status: Status
  /// When it was made. Profiles of what looks like a bot show a later time: it is young whenever it is
  /// served.
  public let createdAt: Datetime
  /// What it signs in with at the sandbox's PDS.
  public let password: String

  /// What became of an account.
  public enum Status: UInt8, Sendable, Hashable {
    /// In use.
    case active
    /// Switched off by its owner for a while.
    case deactivated
    /// Switched off by the AppView's moderators.
    case takenDown
    /// Switched off by its server for a time. No account is made so: see ``SandboxEvent``.
    case suspended
    /// Gone, with its records; its DID has a tombstone. No account is made so either.
    case deleted
  }
}
