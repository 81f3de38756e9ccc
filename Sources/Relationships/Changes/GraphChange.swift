// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What somebody wants to be so between their account and another one, or a list.
public enum GraphChange: Sendable, Hashable {
  /// Follow the account.
  case follow(DID)
  /// Follow the account no more, by whichever record (Q16).
  case unfollow(DID)
  /// Block the account, and follow it no more.
  case block(DID)
  /// Block the account itself no more; a list may go on doing so.
  case unblock(DID)
  /// Mute the account, in place of whatever mute it has (Q9).
  case mute(DID, MuteScope)
  /// Mute the account itself no more; a list may go on doing so.
  case unmute(DID)
  /// Mute all members of the list.
  case muteList(ATURI)
  /// Mute the list no more.
  case unmuteList(ATURI)
  /// Block all members of the list.
  case blockList(ATURI)
  /// Block the list no more, by whichever record.
  case unblockList(ATURI)
  /// Change a list of one's own, or who is on it.
  case list(ListChange)

  /// The account that it is about; nil where it is about a list alone.
  public var account: DID? {
    switch self {
    case .follow(let account), .unfollow(let account), .block(let account), .unblock(let account),
      .mute(let account, _), .unmute(let account):
      account
    case .list(let change): change.account
    case .muteList, .unmuteList, .blockList, .unblockList: nil
    }
  }

  /// The list that it is about; nil where it is about an account alone.
  public var list: ATURI? {
    switch self {
    case .muteList(let list), .unmuteList(let list), .blockList(let list), .unblockList(let list): list
    case .list(let change): change.list
    case .follow, .unfollow, .block, .unblock, .mute, .unmute: nil
    }
  }

  /// What has to be known before it can be planned.
  public var needs: GraphKnowledge.Parts {
    switch self {
    case .follow, .unfollow: .follows
    case .block: [.follows, .blocks]
    case .unblock: .blocks
    case .mute, .unmute: .mutes
    case .muteList, .unmuteList: .listMutes
    case .blockList, .unblockList: .listBlocks
    case .list(let change): change.needs
    }
  }
}
