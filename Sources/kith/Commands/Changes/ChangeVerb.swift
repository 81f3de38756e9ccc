// SPDX-License-Identifier: Apache-2.0

/// The words for a change in rows, questions and jobs.
struct ChangeVerb: Sendable, Hashable {
  /// The verb as typed, such as `mute-list`.
  let name: String
  /// The past participle, such as `followed`.
  let participle: String
  /// Whether it destroys something that cannot be restored exactly; if so, it needs confirmation.
  var isDestructive = false
  /// The noun for one object of the change.
  var noun = "account"
  /// The verb of the question, if the typed verb does not fit.
  var imperative: String?
  /// The end of the question, such as ` from the list`.
  var place = ""
  /// The smallest number that needs confirmation.
  var confirmationThreshold = 2
  /// Whether each row names its own change instead of the verb.
  var namesEachIntent = false

  /// The number with its noun, such as `312 accounts`.
  func counted(_ number: Int) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Whether it ends follows: the question then says how many there are.
  var endsFollows = false

  /// The confirmation question: `Unfollow 874 of the 900 accounts you follow?`
  ///
  /// - Parameters:
  ///   - detail: additional facts; empty for none.
  ///   - following: how many accounts are followed; nil if that is unknown.
  ///   - names: the first ``Message/mostNamed`` of what the change is about; the others are counted.
  func question(_ number: Int, _ detail: String, following: Int? = nil, names: [String] = []) -> String {
    let words = imperative ?? name.prefix(1).uppercased() + name.dropFirst()
    let share = endsFollows ? following.map { "\(number) of the \($0) accounts you follow" } : nil
    let which = names.isEmpty ? "" : ": " + Message.named(names, of: number)
    return "\(words) \(share ?? counted(number))\(which)\(place)\(detail.isEmpty ? "" : " (\(detail))")?"
  }
}
