// SPDX-License-Identifier: Apache-2.0

internal import KithRelationships

/// The state that is wanted, or known, for one account or list; nil means unspecified or unknown.
struct DesiredState: Sendable, Hashable {
  /// The mute of an account; a list is always muted fully.
  enum Mute: Sendable, Hashable {
    case absent
    case scope(MuteScope)
  }

  var follows: Bool?
  var blocks: Bool?
  var mute: Mute?

  /// Creates the state that a change wants.
  init(_ change: ChangeIntent) {
    switch change {
    case .follow: follows = true
    case .unfollow: follows = false
    case .block: (blocks, follows) = (true, false)
    case .unblock: blocks = false
    case .mute(_, let scope): mute = .scope(scope)
    case .unmute, .unmuteList: mute = .absent
    case .muteList: mute = .scope(.everything)
    case .blockList: blocks = true
    case .unblockList: blocks = false
    // List members and other kinds of edges are not shown optimistically, and removing duplicates does not change the
    // edge.
    case .list, .make, .remove, .deduplicate: break
    }
  }

  init(follows: Bool? = nil, blocks: Bool? = nil, mute: Mute? = nil) {
    self.follows = follows
    self.blocks = blocks
    self.mute = mute
  }

  /// Merges this with a later intent, which takes precedence.
  func followed(by later: DesiredState) -> DesiredState {
    DesiredState(
      follows: later.follows ?? follows, blocks: later.blocks ?? blocks, mute: later.mute ?? mute)
  }

  /// Whether the state holds; nil if too little is known.
  ///
  /// - Parameter tried: parts that could not be read. They count as not met, so the change is made to be
  ///   sure.
  func isMet(by known: DesiredState, havingTried tried: DesiredState = DesiredState()) -> Bool? {
    let parts = [
      Self.isMet(follows, by: known.follows, tried.follows),
      Self.isMet(blocks, by: known.blocks, tried.blocks),
      Self.isMet(mute, by: known.mute, tried.mute),
    ]
    if parts.contains(nil) { return nil }
    return parts.allSatisfy { $0 == true }
  }

  private static func isMet<Part: Equatable>(_ wanted: Part?, by known: Part?, _ tried: Part?) -> Bool? {
    guard let wanted else { return true }
    return known.map { $0 == wanted } ?? (tried == nil ? nil : false)
  }
}
