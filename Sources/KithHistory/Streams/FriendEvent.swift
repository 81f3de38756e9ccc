// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// What a stream tells of friend requests from and to watched accounts, of their answers, and of the accounts' policies.
///
/// It tells what accounts have written. Whether two of them are friends now depends on both repositories and on blocks: ask
/// `Friendships`.
public struct FriendEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// An account wrote a request, or replaced it by another version.
    case requested(FriendRequest)
    /// An account deleted its request, or replaced it by something else.
    case withdrawn(by: DID, to: DID)
    /// An account accepted a request, perhaps an earlier version of it.
    case accepted(FriendAnswer, of: DID, by: DID)
    /// An account deleted its acceptance of a request.
    case revoked(of: DID, by: DID)
    /// An account has another policy; nil if it has none any more, or one that cannot be read.
    case policy(FriendPolicy?, of: DID)
  }

  public let kind: Kind
  /// When it happened, by the clock of the stream.
  public let at: Instant

  /// Creates an event.
  public init(_ kind: Kind, at moment: Instant) { (self.kind, at) = (kind, moment) }
}
