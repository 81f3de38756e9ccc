// SPDX-License-Identifier: Apache-2.0

/// The mutes of all accounts: private, and stored only by the AppView (Q9).
struct Mutes: Sendable {
  /// The scope of a mute.
  struct Scope: Sendable, Hashable {
    let onlyReposts: Bool
    let onlyQuoteposts: Bool

    /// Whether everything is muted.
    var isWhole: Bool { !onlyReposts && !onlyQuoteposts }
  }

  private struct Viewer {
    var accounts: [Int: (scope: Scope, number: Int)] = [:]
    var lists: [Int: Int] = [:]
  }

  private var viewers: [Int: Viewer] = [:]
  private var counted = 0

  /// Mutes an account, replacing any mute that it had.
  mutating func mute(_ account: Int, _ scope: Scope, by viewer: Int) {
    counted += 1
    viewers[viewer, default: Viewer()].accounts[account] = (scope, counted)
  }

  mutating func unmute(_ account: Int, by viewer: Int) { viewers[viewer]?.accounts[account] = nil }

  mutating func mute(list: Int, by viewer: Int) {
    counted += 1
    if viewers[viewer]?.lists[list] == nil { viewers[viewer, default: Viewer()].lists[list] = counted }
  }

  mutating func unmute(list: Int, by viewer: Int) { viewers[viewer]?.lists[list] = nil }

  func scope(of account: Int, for viewer: Int) -> Scope? { viewers[viewer]?.accounts[account]?.scope }

  func isMuted(list: Int, by viewer: Int) -> Bool { viewers[viewer]?.lists[list] != nil }

  /// Fully muted accounts, latest first; scoped mutes are not listed.
  func accounts(of viewer: Int) -> [Int] {
    (viewers[viewer]?.accounts ?? [:]).filter { $0.value.scope.isWhole }
      .sorted { $0.value.number > $1.value.number }.map(\.key)
  }

  /// Muted lists, latest first.
  func lists(of viewer: Int) -> [Int] {
    (viewers[viewer]?.lists ?? [:]).sorted { $0.value > $1.value }.map(\.key)
  }
}
