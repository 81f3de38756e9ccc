// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

/// Who chose the accounts of a change: what the user has not named is shown and asked about before it is changed.
public enum TargetChoice: Sendable, Hashable {
  /// The user named each account: as an argument, in a file or on stdin.
  case named
  /// A listing, a search, a list or a rule found the accounts.
  case found

  /// The fewest accounts that a question is about.
  private static let fewest = 2

  /// Whether a plan is asked about, whatever the change is: several accounts that the user has not named, or several
  /// friend requests, which are public and reach people.
  func needsAnswer(to plan: ChangePlan) -> Bool {
    let changed = plan.changes.filter { !$0.steps.isEmpty || $0.changesJobs }.map(\.change)
    let asked = self == .found ? changed : changed.filter(\.isFriendRequest)
    return Set(asked.compactMap(\.account)).count >= Self.fewest
  }
}

extension ChangeIntent {
  fileprivate var isFriendRequest: Bool {
    if case .friends(.request) = self { true } else { false }
  }
}
