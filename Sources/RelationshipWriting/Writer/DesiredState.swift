// SPDX-License-Identifier: Apache-2.0

internal import Relationships

/// How things are to be, or are known to be, with one account or list. Nil is what nobody cares for, or knows.
struct DesiredState: Sendable, Hashable {
  /// How an account is to be muted; a list is muted as a whole.
  enum Mute: Sendable, Hashable {
    case absent
    case scope(MuteScope)
  }

  var follows: Bool?
  var blocks: Bool?
  var mute: Mute?

  /// What a change wants to be so.
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
    // Whoever is on a list is shown nowhere before it is so, and an edge without its duplicates is the same edge.
    case .list, .deduplicate: break
    }
  }

  init(follows: Bool? = nil, blocks: Bool? = nil, mute: Mute? = nil) {
    self.follows = follows
    self.blocks = blocks
    self.mute = mute
  }

  /// This, and a later wish, which wins where both have a say.
  func followed(by later: DesiredState) -> DesiredState {
    DesiredState(
      follows: later.follows ?? follows, blocks: later.blocks ?? blocks, mute: later.mute ?? mute)
  }

  /// Whether it is so; nil where too little is known.
  ///
  /// - Parameter tried: what could not be learned any better. It is made so to be sure.
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
