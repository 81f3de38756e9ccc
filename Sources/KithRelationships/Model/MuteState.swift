// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// How much of an account a mute hides.
///
/// An account has one mute: a later one replaces the scope of an earlier one (Q9).
public enum MuteScope: String, Sendable, Hashable, CaseIterable, Codable {
  /// All posts and replies of the account.
  case everything
  /// Only its reposts.
  case reposts
  /// Only its quote posts.
  case quotes
}

/// How the viewer mutes an account.
package struct MuteState: Sendable, Hashable {
  /// The direct mute of the account.
  package var direct: Direct
  /// A muted list that includes the account.
  package var list: ATURI?

  /// The direct mute of an account, apart from lists.
  package enum Direct: Sendable, Hashable {
    /// No mute.
    case absent
    /// A mute with this scope.
    case scope(MuteScope)
    /// Unknown, because a muted list hides it (Q9).
    case hidden
  }

  /// Creates a state.
  package init(direct: Direct, list: ATURI? = nil) {
    self.direct = direct
    self.list = list
  }
}

extension MuteState {
  /// Creates a state from the viewer of a profile; nil if the AppView does not return it.
  package init?(_ viewer: MutingViewer) {
    list = viewer.mutedByList?.uri
    switch (viewer.muted, viewer.mutedOnlyReposts ?? false, viewer.mutedOnlyQuoteposts ?? false) {
    case (nil, false, false): return nil
    // Two scopes at once are not set by us, and it is unknown which of them to restore.
    case (_, true, true): direct = .hidden
    case (_, true, false): direct = .scope(.reposts)
    case (_, false, true): direct = .scope(.quotes)
    case (false?, false, false): direct = .absent
    case (true?, false, false): direct = list == nil ? .scope(.everything) : .hidden
    }
  }
}

/// The mute fields of a profile's `viewer`.
package struct MutingViewer: Decodable, Sendable {
  package struct List: Decodable, Sendable { let uri: ATURI }

  let muted: Bool?
  let mutedOnlyReposts: Bool?
  let mutedOnlyQuoteposts: Bool?
  let mutedByList: List?
}
