// SPDX-License-Identifier: Apache-2.0

/// What a command does to actors or lists, in the words of its rows, its questions and its job.
struct ChangeVerb: Sendable, Hashable {
  /// The verb itself, as it is typed: `mute-list`.
  let name: String
  /// What happened to each where it did: `followed`.
  let participle: String
  /// Whether it takes something away that cannot be had again as it was: then it is asked about.
  var isDestructive = false
  /// What it is done to, one of it.
  var noun = "account"
  /// How it is asked about, where the verb as it is typed is no question: `Take off the list:`.
  var imperative: String?
  /// The fewest that it is asked about, where it is asked about at all.
  var leastAsked = 2
  /// Whether its rows name what is done to each, which differs, and not the verb itself.
  var namesEachIntent = false

  /// So many of what it is done to: `312 accounts`.
  func counted(_ number: Int) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Whether it takes away follows, of which the account has a number.
  var endsFollows = false

  /// Asks whether it is meant to be done to so many: `Unfollow 874 of the 900 accounts you follow?`
  ///
  /// - Parameters:
  ///   - detail: what goes along with it; empty for nothing.
  ///   - following: how many accounts are followed; nil where that is not known.
  func question(_ number: Int, _ detail: String, following: Int? = nil) -> String {
    let words = imperative ?? name.prefix(1).uppercased() + name.dropFirst()
    let share = endsFollows ? following.map { "\(number) of the \($0) accounts you follow" } : nil
    return "\(words) \(share ?? counted(number))\(detail.isEmpty ? "" : " (\(detail))")?"
  }
}
