// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// How much of an account a mute hides.
///
/// One account has one mute: a later one replaces the scope of an earlier one (Q9).
public enum MuteScope: String, Sendable, Hashable, CaseIterable {
  /// All that the account posts and says.
  case everything
  /// Only what it reposts.
  case reposts
  /// Only its quotes of other posts.
  case quotes
}

/// How the viewer mutes an account.
public struct MuteState: Sendable, Hashable {
  /// The mute of the account itself.
  public var direct: Direct
  /// A muted list that the account is on.
  public var list: ATURI?

  /// The mute of an account itself, apart from lists.
  public enum Direct: Sendable, Hashable {
    /// None.
    case absent
    /// One of that scope.
    case scope(MuteScope)
    /// There may be one: a muted list hides it (Q9).
    case hidden
  }

  /// Puts both together.
  public init(direct: Direct, list: ATURI? = nil) {
    self.direct = direct
    self.list = list
  }
}

extension MuteState {
  /// Reads what an AppView says of a profile's viewer; nil where it does not say.
  package init?(_ viewer: MutingViewer) {
    list = viewer.mutedByList?.uri
    switch (viewer.muted, viewer.mutedOnlyReposts ?? false, viewer.mutedOnlyQuoteposts ?? false) {
    case (nil, false, false): return nil
    // Two scopes at once are not one of ours, and hide which of them is to be put back.
    case (_, true, true): direct = .hidden
    case (_, true, false): direct = .scope(.reposts)
    case (_, false, true): direct = .scope(.quotes)
    case (false?, false, false): direct = .absent
    case (true?, false, false): direct = list == nil ? .scope(.everything) : .hidden
    }
  }
}

/// What a profile's `viewer` says of mutes.
package struct MutingViewer: Decodable, Sendable {
  package struct List: Decodable, Sendable { let uri: ATURI }

  let muted: Bool?
  let mutedOnlyReposts: Bool?
  let mutedOnlyQuoteposts: Bool?
  let mutedByList: List?
}
