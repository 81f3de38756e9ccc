// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// An event in a served network: the ground truth for testing a client.
package struct SandboxEvent: Sendable, Hashable, Codable {
  /// The kind of event.
  package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case followed, unfollowed, blocked
    /// The account, its records and its identity are gone.
    case deleted
    /// By its owner; the account is reactivated some days later.
    case deactivated, reactivated
    /// By its server.
    case suspended
    /// By the AppView's moderators.
    case takenDown
    /// The handle has changed.
    case renamed
  }

  /// The day of the story, starting at 1.
  package let day: Int
  package let kind: Kind
  /// The account that acted, or that was affected.
  package let account: DID
  /// The account that is followed, unfollowed or blocked; nil for events that concern one account.
  package let subject: DID?
}
