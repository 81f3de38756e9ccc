// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations

/// A command that asks, answers or ends: names and listings of accounts, and what is done about each.
protocol FriendChangeCommand: ActorChangeCommand where Source == ChangeFriends {
  /// What is done about each account.
  func kind(at now: Instant) -> FriendChanges.Kind

  /// Which requests are answered; nil for a command that answers none.
  var answer: AnswerOptions? { get }
}

extension FriendChangeCommand {
  var answer: AnswerOptions? { nil }

  mutating func validate() throws {
    try checkActors()
    try answer?.validate(for: actors, sources)
  }

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeFriends {
    var change = ChangeFriends(kind(at: context.time.instant), accounts)
    (change.asking, change.version) = (answer?.kind, answer?.version)
    return change
  }
}
