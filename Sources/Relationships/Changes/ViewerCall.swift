// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A change that the viewer's AppView keeps, in private and in no repository (Q9). Doing it twice is the same
/// as doing it once.
public enum ViewerCall: Sendable, Hashable {
  /// Mutes the account, in place of whatever mute it had.
  case mute(DID, MuteScope)
  /// Ends the account's mute, of whatever scope; does nothing about one that comes from a list (Q9).
  case unmute(DID)
  /// Mutes all members of the list.
  case muteList(ATURI)
  /// Ends the mute of the list.
  case unmuteList(ATURI)
}
