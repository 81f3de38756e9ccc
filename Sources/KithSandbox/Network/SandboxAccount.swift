// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// One account of a ``SandboxNetwork``, as its profile shows it.
package struct SandboxAccount: Sendable, Hashable {
  /// The permanent identifier.
  package let did: DID
  /// The handle that resolves to the DID.
  package let handle: Handle
  /// The display name; may contain anything, including control characters; empty if there is none.
  package let displayName: String
  /// The description; empty if there is none.
  package let biography: String
  /// The status.
  package let status: Status
  /// When it was created. Profiles of bots show a later time, so that they are always young.
  package let createdAt: Datetime
  /// The password for the sandbox's PDS.
  package let password: String

  /// The status of an account.
  package enum Status: UInt8, Sendable, Hashable {
    /// In use.
    case active
    /// Temporarily deactivated by its owner.
    case deactivated
    /// Taken down by the AppView's moderators.
    case takenDown
    /// Temporarily suspended by its server. Not generated: see ``SandboxEvent``.
    case suspended
    /// Deleted, with its records; its DID has a tombstone. Not generated either.
    case deleted
  }
}
