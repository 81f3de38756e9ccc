// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension GraphWriter {
  /// Follows an account.
  @discardableResult
  public func follow(_ account: DID) async throws -> ChangeOutcome { try await make(.follow(account)) }

  /// Follows an account no more, by whichever record (Q16).
  @discardableResult
  public func unfollow(_ account: DID) async throws -> ChangeOutcome { try await make(.unfollow(account)) }

  /// Blocks an account, and follows it no more, in one commit.
  @discardableResult
  public func block(_ account: DID) async throws -> ChangeOutcome { try await make(.block(account)) }

  /// Blocks an account no more; follows that ended with the block do not come back.
  @discardableResult
  public func unblock(_ account: DID) async throws -> ChangeOutcome { try await make(.unblock(account)) }

  /// Mutes an account, in place of whatever mute it has (Q9).
  @discardableResult
  public func mute(_ account: DID, scope: MuteScope = .everything) async throws -> ChangeOutcome {
    try await make(.mute(account, scope))
  }

  /// Mutes an account no more.
  @discardableResult
  public func unmute(_ account: DID) async throws -> ChangeOutcome { try await make(.unmute(account)) }

  /// Mutes all members of a list.
  @discardableResult
  public func muteList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.muteList(list)) }

  /// Mutes a list no more.
  @discardableResult
  public func unmuteList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.unmuteList(list)) }

  /// Blocks all members of a list.
  @discardableResult
  public func blockList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.blockList(list)) }

  /// Blocks a list no more.
  @discardableResult
  public func unblockList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.unblockList(list)) }
}
