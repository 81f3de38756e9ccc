// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Something that happens in a network while it is served: the truth, against which a client can be held.
public struct SandboxEvent: Sendable, Hashable, Codable {
  /// What happens.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case followed, unfollowed, blocked
    /// The account, its records and its identity are gone.
    case deleted
    /// By its owner, who comes back some days later.
    case deactivated, reactivated
    /// By its server.
    case suspended
    /// By the AppView's moderators.
    case takenDown
    /// It has another handle.
    case renamed
  }

  /// On which day of the story, from 1.
  public let day: Int
  public let kind: Kind
  /// Who did it, or to whom it happened.
  public let account: DID
  /// Who is followed or blocked; nil for what concerns one account.
  public let subject: DID?
}
