// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The private settings of an account, which its PDS keeps and no AppView sees.
extension PDS {
  func offerPreferences(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Actor.GetPreferences.self, answering: preferences)
    routes.add(App.Bsky.Actor.PutPreferences.self, answering: putPreferences)
  }

  @Sendable private func preferences(
    _: App.Bsky.Actor.GetPreferences.Parameters, _ caller: XRPCCaller
  ) throws(XRPCFault) -> App.Bsky.Actor.GetPreferences.Output {
    let account = try live.account(of: caller)
    return App.Bsky.Actor.GetPreferences.Output(
      preferences: try live.withState { state, _ in state.preferences[account] ?? [] })
  }

  /// Replaces all settings: there is no swap, so the last writer wins.
  @Sendable private func putPreferences(
    _ input: App.Bsky.Actor.PutPreferences.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    let account = try live.account(of: caller)
    try live.withState { state, _ in state.preferences[account] = input.preferences }
    return .done
  }
}
