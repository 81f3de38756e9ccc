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

  /// So many of what it is done to: `312 accounts`.
  func counted(_ number: Int) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
