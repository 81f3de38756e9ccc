// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// One requested change.
struct RequestedChange: Sendable {
  /// The name as typed or read from a file.
  let input: String
  /// The change, or why the name is unusable.
  let change: Result<ChangeIntent, CommandFault>
  /// Whether its account is known to exist, for example because a server has just returned it.
  var isResolved = true

  /// The request to the engine; nil if the name is unusable.
  var named: ChangePlan.Request? {
    (try? change.get()).map { ChangePlan.Request(input, $0, isResolved: isResolved) }
  }
}

extension SelectedAccounts {
  /// A change of each account.
  func requests(_ change: (DID) -> ChangeIntent) -> [RequestedChange] {
    members.map { member in
      RequestedChange(
        input: member.name, change: member.account.mapError(CommandFault.init).map(change),
        isResolved: member.isResolved)
    }
  }
}
