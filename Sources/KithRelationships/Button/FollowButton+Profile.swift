// SPDX-License-Identifier: Apache-2.0

public import KithLexicons

extension FollowButton.Mute {
  /// The mute in a profile that an AppView returned to the account; nil if there is none, or if it does not say (Q9).
  public init?(_ viewer: App.Bsky.Actor.Defs.ViewerState) {
    if let list = viewer.mutedByList {
      self = .byList(list.uri)
      return
    }
    switch (viewer.muted ?? false, viewer.mutedOnlyReposts ?? false, viewer.mutedOnlyQuoteposts ?? false) {
    case (true, false, false): self = .direct(.everything)
    case (_, true, false): self = .direct(.reposts)
    case (_, false, true): self = .direct(.quotes)
    case (_, true, true), (false, false, false): return nil
    }
  }
}
