// SPDX-License-Identifier: Apache-2.0

public import KithLexicons

extension FollowButton.Mute {
  /// The mute in a profile that an AppView returned to the account; nil if there is none, or if it does not say (Q9).
  public init?(_ viewer: App.Bsky.Actor.Defs.ViewerState) {
    let mutes = MutingViewer(
      muted: viewer.muted, mutedOnlyReposts: viewer.mutedOnlyReposts,
      mutedOnlyQuoteposts: viewer.mutedOnlyQuoteposts,
      mutedByList: viewer.mutedByList.map { MutingViewer.List(uri: $0.uri) })
    guard let state = MuteState(mutes) else { return nil }
    switch (state.list, state.direct) {
    case (let list?, _): self = .byList(list)
    case (nil, .scope(let scope)): self = .direct(scope)
    case (nil, .absent), (nil, .hidden): return nil
    }
  }
}
